import { describe, expect, it } from 'vitest';
import { silentLogger, systemClock } from '../base/index.ts';
import { applyJsonPatch } from '../object/index.ts';
import { compileException, compilePolicy, type LookUpAnswer } from '../policy/index.ts';
import { createEvaluationTurns, createPolicySet } from '../runtime/index.ts';
import type { AdmissionDecision, AdmissionRequest } from '../webhook/index.ts';
import { createAuditQueue } from './audit-queue.ts';
import { createPolicyReviewers, type PolicyReviewersOptions } from './policy-reviewers.ts';
import { defaultResourceFilters, parseResourceFilters } from './resource-filters.ts';
import type { AdmissionResults } from './results.ts';

const match = { any: [{ resources: { kinds: ['Pod'] } }] };
const policy = (name: string, rules: readonly object[], spec: object = {}) => ({
  apiVersion: 'kyverno.io/v1',
  kind: 'ClusterPolicy',
  metadata: { name, annotations: { 'pod-policies.kyverno.io/autogen-controllers': 'none' } },
  spec: { background: false, rules, ...spec },
});
const labelled = (label: string, validate: object = {}) => ({
  name: label,
  match,
  validate: { message: `${label} is missing`, pattern: { metadata: { labels: { [label]: '?*' } } }, ...validate },
});
const looksUp = (more: object = {}) => ({
  name: 'look',
  match,
  context: [{ name: 'm', configMap: { name: 'x', namespace: 'y' } }],
  validate: {
    message: 'm',
    failureAction: 'Enforce',
    deny: { conditions: { all: [{ key: '{{ m.data.k }}', operator: 'Equals', value: 'v' }] } },
    ...more,
  },
});

function setUp(
  policies: readonly object[],
  options: Partial<PolicyReviewersOptions> & { exceptions?: readonly object[] } = {},
) {
  const programs = policies.map((one) => {
    const { program, issues } = compilePolicy(one);
    if (!program) throw new Error(JSON.stringify(issues));
    return program;
  });
  const exceptions = (options.exceptions ?? []).map((one) => compileException(one).program!);
  const reported: AdmissionResults[] = [];
  const auditQueue = createAuditQueue(silentLogger);
  const reviewers = createPolicyReviewers({
    policies: { current: createPolicySet(programs, exceptions), hasSynced: true },
    lookUps: { answer: async () => ({ ok: false, message: 'not found' }) },
    namespaces: { hasSynced: true, labels: () => ({}), fetchLabels: async () => ({}) },
    roles: { of: async () => ({ roles: [], clusterRoles: [] }) },
    discovery: { byResource: async () => undefined },
    filters: parseResourceFilters(defaultResourceFilters),
    auditQueue,
    turns: createEvaluationTurns(),
    count: () => {},
    shouldReport: () => true,
    onResults: (results) => void reported.push(results),
    clock: systemClock,
    log: silentLogger,
    ...options,
  });
  const context = (route: string) => ({ route, authenticated: false, bytes: 1, signal: new AbortController().signal });
  return {
    reviewers,
    validate: async (given: Partial<AdmissionRequest> = {}, route = 'fail'): Promise<AdmissionDecision> =>
      reviewers.validate.review(request(given), context(route)),
    mutate: async (given: Partial<AdmissionRequest> = {}, route = 'fail'): Promise<AdmissionDecision> =>
      reviewers.mutate.review(request(given), context(route)),
    async reported() {
      await auditQueue.drained();
      return reported.flatMap(({ results, isBlocked }) =>
        results.map((r) => `${r.policy.key}/${r.rule.name} ${r.status}${isBlocked ? ' blocked' : ''}`),
      );
    },
  };
}

const pod = (metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', namespace: 'shop', ...metadata },
  spec: { containers: [{ name: 'c', image: 'nginx' }] },
});
const request = (given: Partial<AdmissionRequest>): AdmissionRequest => ({
  uid: 'u',
  kind: { group: '', version: 'v1', kind: 'Pod' },
  resource: { group: '', version: 'v1', resource: 'pods' },
  subResource: '',
  name: 'a',
  namespace: 'shop',
  operation: 'CREATE',
  userInfo: { username: 'ann', groups: ['dev'] },
  object: pod() as never,
  oldObject: undefined,
  dryRun: false,
  ...given,
});

describe('validation', () => {
  it('denies by enforced rules, and reports all results', async () => {
    const { validate, reported } = setUp([
      policy('a', [labelled('one', { failureAction: 'Enforce' }), labelled('two')]),
    ]);
    const { denied } = await validate();
    expect(denied).toBe(
      '\n\nresource Pod/shop/a was blocked due to the following policies \n\na:\n' +
        "  one: 'validation error: one is missing. rule one failed at path /metadata/labels/'\n",
    );
    expect(await reported()).toEqual(['a/one fail blocked']);
  });

  it('denies by an assertion tree that reads the roles of the user', async () => {
    const tree = {
      object: { spec: { '~.containers': { name: 'd' } } },
      "(contains(admissionInfo.clusterRoles, 'admin'))": true,
    };
    const asserted = policy('a', [{ name: 'tree', match, validate: { failureAction: 'Enforce', assert: tree } }]);
    const roles = { of: async () => ({ roles: [], clusterRoles: ['admin'] }) };
    expect((await setUp([asserted], { roles }).validate()).denied).toBe(
      '\n\nresource Pod/shop/a was blocked due to the following policies \n\na:\n' +
        `  tree: 'object.spec.~.containers[0].name: Invalid value: "c": Expected value: "d"'\n`,
    );
    expect((await setUp([asserted]).validate()).denied).toContain(
      "(contains(admissionInfo.clusterRoles, ''admin'')): Invalid value: false: Expected value: true",
    );
  });

  it('evaluates audit rules after the response, unless the policy emits warnings', async () => {
    const { validate, reported } = setUp([
      policy('quiet', [labelled('q')]),
      policy('loud', [labelled('l')], { emitWarning: true }),
    ]);
    const decision = await validate();
    expect(decision.denied).toBeUndefined();
    expect(decision.warnings).toEqual([
      'policy loud.l: validation error: l is missing. rule l failed at path /metadata/labels/',
    ]);
    expect((await reported()).sort()).toEqual(['loud/l fail', 'quiet/q fail']);
  });

  it('reports nothing for a dry run', async () => {
    const { validate, reported } = setUp([
      policy('a', [labelled('one', { failureAction: 'Enforce' }), labelled('two')]),
    ]);
    expect((await validate({ dryRun: true })).denied).toContain('one is missing');
    expect(await reported()).toEqual([]);
  });

  it('enforces in the namespaces of an override only', async () => {
    const overrides = { failureActionOverrides: [{ action: 'Enforce', namespaces: ['shop'] }] };
    const { validate } = setUp([policy('a', [labelled('one', overrides)])]);
    expect((await validate()).denied).toContain('one is missing');
    const elsewhere = { namespace: 'lab', object: pod({ namespace: 'lab' }) as never };
    expect((await validate(elsewhere)).denied).toBeUndefined();
  });

  it('denies by an error only under failurePolicy Fail and for an enforced rule', async () => {
    const policies = [
      policy('fail', [looksUp()]),
      policy('ignore', [looksUp()], { failurePolicy: 'Ignore' }),
      policy('audit', [looksUp({ failureAction: 'Audit' })]),
    ];
    const { validate } = setUp(policies);
    const { denied } = await validate();
    expect(denied).toContain('fail:\n  look: ');
    expect(denied).not.toContain('audit');
    expect(await validate({}, 'ignore')).toEqual({
      warnings: [expect.stringMatching(/^policy ignore\.look: .*not found/s)],
    });
  });

  it('handles policies and rules named like members of Object.prototype without changing those', async () => {
    const named = policy('constructor', [
      { ...labelled('one', { failureAction: 'Enforce' }), name: 'keys' },
      { ...labelled('two', { failureAction: 'Enforce' }), name: '__proto__' },
    ]);
    const { keys } = Object;
    const { denied } = await setUp([named]).validate();
    const isUnharmed = Object.keys === keys;
    Object.keys = keys;
    expect(isUnharmed).toBe(true);
    expect(denied).toMatch(/constructor:\n {2}keys: .*one is missing.*\n {2}__proto__: .*two is missing/);
  });

  it('fetches a look-up once for all rules that need it', async () => {
    let asked = 0;
    const answer = async (): Promise<LookUpAnswer> => {
      asked++;
      return { ok: true, value: { data: { k: 'other' }, metadata: {} } };
    };
    const { validate } = setUp([policy('a', [looksUp()]), policy('b', [looksUp()])], { lookUps: { answer } });
    expect((await validate()).denied).toBeUndefined();
    expect(asked).toBe(1);
  });

  it('skips rules by exceptions', async () => {
    const exception = {
      apiVersion: 'kyverno.io/v2',
      kind: 'PolicyException',
      metadata: { name: 'e', namespace: 'shop' },
      spec: { exceptions: [{ policyName: 'a', ruleNames: ['one'] }], match },
    };
    const { validate, reported } = setUp([policy('a', [labelled('one', { failureAction: 'Enforce' })])], {
      exceptions: [exception],
    });
    expect((await validate()).denied).toBeUndefined();
    expect(await reported()).toEqual(['a/one skip']);
  });

  it('skips objects that are excluded by filters, and metadata updates under deletion', async () => {
    const { validate } = setUp([policy('a', [labelled('one', { failureAction: 'Enforce' })])]);
    expect(await validate({ namespace: 'kube-system' })).toEqual({});
    const going = pod({ deletionTimestamp: '2026-01-01T00:00:00Z' }) as never;
    expect(await validate({ operation: 'UPDATE', object: going, oldObject: going })).toEqual({});
  });

  it.each([
    ['a spec that changes', { spec: { containers: [{ name: 'c', image: 'other' }] } }, {}],
    [
      'ephemeral containers',
      { spec: { ephemeralContainers: [{ name: 'd' }] } },
      { subResource: 'ephemeralcontainers' },
    ],
    ['a status', { status: { phase: 'Running' } }, { subResource: 'status' }],
    ['what is not stored as being deleted', {}, { oldObject: pod() as never }],
    ['finalizers of another kind than Namespace', { spec: {} }, { subResource: 'finalize' }],
  ])('evaluates an update of an object under deletion: %s', async (_, change, given) => {
    const kinds = ['Pod', 'Pod/ephemeralcontainers', 'Pod/status', 'Pod/finalize'];
    const rule = { ...labelled('one', { failureAction: 'Enforce', allowExistingViolations: false }) };
    const discovery = { byResource: async () => ({ group: '', version: 'v1', kind: 'Pod' }) as never };
    const { validate } = setUp([policy('a', [{ ...rule, match: { any: [{ resources: { kinds } }] } }])], { discovery });
    const going = pod({ deletionTimestamp: '2026-01-01T00:00:00Z' });
    const update = {
      operation: 'UPDATE' as const,
      object: { ...going, ...change } as never,
      oldObject: going as never,
    };
    expect((await validate({ ...update, ...given })).denied).toContain('one is missing');
  });

  it('admits the last finalizers of a Namespace', async () => {
    const rule = { ...labelled('one', { failureAction: 'Enforce' }) };
    const kinds = ['Namespace', 'Namespace/finalize'];
    const { validate } = setUp([policy('a', [{ ...rule, match: { any: [{ resources: { kinds } }] } }])]);
    const going = (finalizers: readonly string[]) =>
      ({
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: 'shop', deletionTimestamp: '2026-01-01T00:00:00Z' },
        spec: { finalizers },
      }) as never;
    const about = {
      kind: { group: '', version: 'v1', kind: 'Namespace' },
      resource: { group: '', version: 'v1', resource: 'namespaces' },
      subResource: 'finalize',
      operation: 'UPDATE' as const,
    };
    expect(await validate({ ...about, object: going([]), oldObject: going(['kubernetes']) })).toEqual({});
  });

  it('admits requests of a webhook whose policies are deleted', async () => {
    expect(await setUp([]).validate()).toEqual({});
  });

  it.each([
    ['metadata that is null', { metadata: null }],
    ['labels that are null', { metadata: { name: null, labels: null, annotations: null } }],
    ['labels that are no text', { metadata: { name: 'a', labels: { team: null, n: 1 } } }],
    ['nothing but nulls', { apiVersion: null, kind: null, metadata: null, spec: null, status: null }],
    ['a spec of another form', { metadata: { name: 'a' }, spec: [null, [null]] }],
  ])('evaluates an object with %s', async (_, object) => {
    const images = {
      name: 'images',
      match,
      validate: { message: 'm', failureAction: 'Enforce', pattern: { spec: { containers: [{ image: '*:*' }] } } },
    };
    const { validate } = setUp([policy('a', [labelled('one', { failureAction: 'Enforce' }), images])]);
    expect((await validate({ object: object as never })).denied).toContain('resource Pod/shop/a was blocked');
  });

  it('looks up roles for an exception that reads them if no rule does', async () => {
    const exception = {
      apiVersion: 'kyverno.io/v2',
      kind: 'PolicyException',
      metadata: { name: 'admins', namespace: 'default' },
      spec: {
        background: false,
        exceptions: [{ policyName: 'plain', ruleNames: ['one'] }],
        match: { any: [{ resources: { kinds: ['Pod'] }, clusterRoles: ['admin'] }] },
      },
    };
    const enforced = [policy('plain', [labelled('one', { failureAction: 'Enforce' })])];
    const validateAs = async (role: string) => {
      const roles = { of: async () => ({ roles: [], clusterRoles: [role] }) };
      return (await setUp(enforced, { roles, exceptions: [exception] }).validate()).denied;
    };
    expect(await validateAs('admin')).toBeUndefined();
    expect(await validateAs('view')).toContain('one is missing');
  });

  it('waits for nothing when roles and look-ups are known', () => {
    const admin = { any: [{ resources: { kinds: ['Pod'] }, clusterRoles: ['admin'] }] };
    const { reviewers } = setUp([policy('known', [{ ...looksUp(), match: admin }])], {
      roles: { of: () => ({ roles: [], clusterRoles: ['admin'] }) },
      lookUps: {
        answer: async () => ({ ok: false, message: 'not ready' }),
        ready: () => ({ ok: true, value: { data: { k: 'v' } } }),
      },
    });
    const context = {
      route: 'fail',
      authenticated: false,
      bytes: 1,
      get signal(): AbortSignal {
        throw new Error('nothing can be aborted');
      },
    };
    expect(reviewers.validate.review(request({}), context)).toMatchObject({
      denied: expect.stringContaining('look: m'),
    });
  });

  it('fails only the rules that read roles when roles cannot be looked up', async () => {
    const byRole = {
      ...labelled('role', { failureAction: 'Enforce' }),
      match: { any: [{ resources: { kinds: ['Pod'] }, clusterRoles: ['admin'] }] },
    };
    const broken = { of: async () => Promise.reject(new Error('bindings are forbidden')) };
    const { validate } = setUp([policy('roles', [byRole]), policy('plain', [labelled('one')])], { roles: broken });
    expect((await validate()).denied).toContain('role: bindings are forbidden');
    const found = { of: async () => ({ roles: [], clusterRoles: ['view'] }) };
    expect((await setUp([policy('roles', [byRole])], { roles: found }).validate()).denied).toBeUndefined();
  });
});

describe('mutation', () => {
  const adds = (name: string, value: string) => ({
    name,
    match,
    mutate: { patchStrategicMerge: { metadata: { labels: { [name]: value } } } },
  });

  it('returns one minimal patch for all policies', async () => {
    const { mutate } = setUp([
      policy('a', [adds('one', 'x')]),
      policy('b', [adds('two', '{{ request.object.metadata.labels.one }}')]),
    ]);
    const { patch } = await mutate();
    expect(patch).toEqual([{ op: 'add', path: '/metadata/labels', value: { one: 'x', two: 'x' } }]);
    expect(applyJsonPatch(pod(), patch)).toMatchObject({ metadata: { labels: { one: 'x', two: 'x' } } });
  });

  it('returns no patch if nothing changes', async () => {
    const { mutate } = setUp([policy('a', [adds('one', 'x')])]);
    expect((await mutate({ object: pod({ labels: { one: 'x' } }) as never })).patch).toEqual([]);
    expect(await mutate({ operation: 'DELETE', object: undefined, oldObject: pod() as never })).toEqual({});
  });

  it('denies by an error only under failurePolicy Fail', async () => {
    const broken = adds('one', '{{ request.object.metadata.labels.none }}');
    const { mutate } = setUp([policy('a', [broken]), policy('b', [broken], { failurePolicy: 'Ignore' })]);
    expect((await mutate()).denied).toContain('a:\n  one: ');
    expect(await mutate({}, 'ignore')).toEqual({ patch: [], warnings: [expect.stringMatching(/^policy b\.one: /)] });
  });

  it('does not run rules that change other objects', async () => {
    const other = {
      name: 'other',
      match,
      mutate: {
        targets: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', namespace: 'y' }],
        patchStrategicMerge: { data: { a: 'b' } },
      },
    };
    const { mutate } = setUp([policy('a', [other])]);
    expect(await mutate()).toEqual({});
  });
});

describe('what expressions see of a request', () => {
  const rule = { apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*', '*/*'] };
  const validating = (...expressions: string[]) => ({
    apiVersion: 'policies.kyverno.io/v1',
    kind: 'ValidatingPolicy',
    metadata: { name: 'p' },
    spec: {
      matchConstraints: { resourceRules: [rule] },
      autogen: { podControllers: { controllers: [] } },
      validations: expressions.map((expression) => ({ expression, message: expression })),
    },
  });
  const classic = (...expressions: string[]) =>
    policy('c', [
      {
        name: 'r',
        match: { any: [{ resources: { kinds: ['*'] } }] },
        validate: { failureAction: 'Enforce', cel: { expressions: expressions.map((expression) => ({ expression })) } },
      },
    ]);

  const seen = [
    "request.options.fieldManager == 'kubectl'",
    "request.kind.version == 'v1' && request.requestKind.version == 'v1beta1'",
    "request.resource.version == 'v1' && request.requestResource.version == 'v1beta1'",
    "request.name == 'a' && request.namespace == 'shop'",
  ];
  it.each([
    ['a ValidatingPolicy', validating(...seen)],
    ['validate.cel', classic(...seen)],
  ])('is what the API server sent: %s', async (_, one) => {
    const { validate } = setUp([one]);
    const decision = await validate({
      requestKind: { group: '', version: 'v1beta1', kind: 'Pod' },
      requestResource: { group: '', version: 'v1beta1', resource: 'pods' },
      options: { kind: 'CreateOptions', fieldManager: 'kubectl' },
    });
    expect(decision).toEqual({ warnings: [] });
  });

  it('names the kind of what was sent for a subresource, and not that of its parent', async () => {
    const { validate } = setUp([validating("request.kind.kind == 'PodExecOptions' && request.subResource == 'exec'")], {
      discovery: {
        byResource: async () =>
          ({ group: '', version: 'v1', kind: 'Pod', resource: 'pods', namespaced: true }) as never,
      },
    });
    const decision = await validate({
      kind: { group: '', version: 'v1', kind: 'PodExecOptions' },
      subResource: 'exec',
      operation: 'CONNECT',
      object: { apiVersion: 'v1', kind: 'PodExecOptions' },
    });
    expect(decision).toEqual({ warnings: [] });
  });

  const namespace = {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'shop', annotations: { tier: 'gold' }, managedFields: [] },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  };
  const ofNamespace = [
    "namespaceObject.metadata.annotations.tier == 'gold'",
    "namespaceObject.spec.finalizers == ['kubernetes']",
    "namespaceObject.status.phase == 'Active'",
    "!has(namespaceObject.metadata.labels) && namespaceObject.metadata.name == 'shop'",
  ];
  const namespaced = (one: ReturnType<typeof validating>) => ({
    ...one,
    kind: 'NamespacedValidatingPolicy',
    metadata: { name: 'p', namespace: 'shop' },
  });
  it.each([
    ['a ValidatingPolicy', validating(...ofNamespace), 'fail'],
    ['a policy of a namespace', namespaced(validating(...ofNamespace)), 'fail/namespace/shop'],
    ['validate.cel', classic(...ofNamespace), 'fail'],
  ])('includes the namespace, which is looked up once: %s', async (_, one, route) => {
    const asked: object[] = [];
    const answer = async (lookUp: object) => {
      asked.push(lookUp);
      return { ok: true as const, value: namespace };
    };
    const { validate } = setUp([one], { lookUps: { answer } });
    expect(await validate({}, route)).toEqual({ warnings: [] });
    expect(asked).toEqual([{ kind: 'namespace', name: 'shop' }]);
  });

  it('is not looked up for the name and the labels, and an error where it cannot be', async () => {
    const labels = { team: 'a' };
    const options = { namespaces: { hasSynced: true, labels: () => labels, fetchLabels: async () => labels } };
    const names = setUp(
      [validating("namespaceObject.metadata.name == 'shop' && namespaceObject.metadata.labels.team == 'a'")],
      options,
    );
    expect(await names.validate()).toEqual({ warnings: [] });
    const { validate } = setUp([validating("namespaceObject.metadata.annotations.tier == 'gold'")]);
    expect((await validate()).denied).toContain('failed to get namespace: not found');
  });
});
