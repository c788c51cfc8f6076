import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runTool, type ToolRun } from '../support/kubectl.ts';
import { eventually } from '../support/wait.ts';

/** A cluster whose requests Supercargo reviews, seen through kubectl. */
export interface AdmissionSession {
  readonly kubectl: string;
  readonly kubeconfig: string;
  /** Ends Supercargo without asking, and starts it again. */
  kill(): Promise<void>;
  start(): Promise<void>;
}

export const crdFiles = (): string => {
  const folder = fileURLToPath(new URL('../../manifests/crds', import.meta.url));
  return readdirSync(folder)
    .map((file) => readFileSync(path.join(folder, file), 'utf8'))
    .join('\n---\n');
};

export function run(
  { kubectl, kubeconfig }: Pick<AdmissionSession, 'kubectl' | 'kubeconfig'>,
  args: readonly string[],
  input?: string | readonly object[],
): Promise<ToolRun> {
  const text =
    typeof input === 'string' || input === undefined ? input : input.map((one) => JSON.stringify(one)).join('\n---\n');
  return runTool(kubectl, [`--kubeconfig=${kubeconfig}`, ...args], text);
}

interface Webhook {
  readonly name: string;
  readonly matchPolicy: string;
  readonly reinvocationPolicy?: string;
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
}

interface PolicyOptions {
  readonly kind?: 'ClusterPolicy' | 'Policy';
  readonly spec?: object;
}

const inNamespace = (namespace: string, kinds: readonly string[], more: object = {}) => ({
  any: [{ resources: { kinds, namespaces: [namespace], ...more } }],
});

const policy = (name: string, rules: readonly object[], { kind = 'ClusterPolicy', spec = {} }: PolicyOptions = {}) => ({
  apiVersion: 'kyverno.io/v1',
  kind,
  metadata: { name },
  spec: { rules, ...spec },
});

const needsLabel = (name: string, namespace: string, validate: object = {}) => ({
  name,
  match: inNamespace(namespace, ['ConfigMap']),
  validate: {
    message: `the label ${name} is required`,
    pattern: { metadata: { labels: { [name]: '?*' } } },
    ...validate,
  },
});

const configMap = (namespace: string, name: string, labels: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace, labels },
});

/** The admission scenario with kubectl; runs on the embedded cluster and on a real one. */
export function defineAdmissionScenario(session: () => AdmissionSession): void {
  const kubectl = (args: readonly string[], input?: string | readonly object[]) => run(session(), args, input);
  const ok = async (args: readonly string[], input?: string | readonly object[]) => {
    const result = await kubectl(args, input);
    if (result.exitCode !== 0) throw new Error(`kubectl ${args.join(' ')}: ${result.stderr}`);
    return result;
  };
  const create = (...objects: readonly object[]) => kubectl(['create', '-f', '-'], objects);
  /** Applies policies and waits until the cluster asks about them. */
  const withPolicies = async (
    namespace: string,
    ...policies: readonly { readonly kind: string; readonly metadata: object }[]
  ) => {
    await ok(['create', 'namespace', namespace]);
    await ok(['apply', '-n', namespace, '-f', '-'], policies);
    for (const { kind, metadata } of policies) {
      const { name } = metadata as { readonly name: string };
      await ok(['wait', '-n', namespace, '--for=condition=Ready', '--timeout=120s', `${kind.toLowerCase()}/${name}`]);
    }
  };

  it('blocks what an enforced rule fails, with policy, rule and message', async () => {
    await withPolicies('enforce', policy('enforce', [needsLabel('team', 'enforce', { failureAction: 'Enforce' })]));
    const refused = await create(configMap('enforce', 'a'));
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain('admission webhook "validate.fail.story.svc" denied the request:');
    expect(refused.stderr).toContain(
      [
        'resource ConfigMap/enforce/a was blocked due to the following policies ',
        '',
        'enforce:',
        "  team: 'validation error: the label team is required. rule team failed at path /metadata/labels/'",
      ].join('\n'),
    );
    await eventually(async () => {
      const { stdout } = await ok(['get', 'events', '-n', 'default', '-o', 'jsonpath={.items[*].message}']);
      expect(stdout).toContain('ConfigMap enforce/a: [team] fail (blocked); validation error');
    });
    expect(await create(configMap('enforce', 'b', { team: 'x' }))).toMatchObject({ exitCode: 0 });
  });

  it('admits a request that fails an audit rule, warns if configured, and records an event', async () => {
    await withPolicies(
      'audit',
      policy('audit-quiet', [needsLabel('quiet', 'audit')]),
      policy('audit-loud', [needsLabel('loud', 'audit')], { spec: { emitWarning: true } }),
    );
    const admitted = await create(configMap('audit', 'a'));
    expect(admitted).toMatchObject({ exitCode: 0 });
    expect(admitted.stderr).toMatch(/^Warning: policy audit-loud\.loud: validation error: the label loud is required/);
    expect(admitted.stderr).not.toContain('audit-quiet');
    await eventually(async () => {
      const { stdout } = await ok(['get', 'events', '-n', 'audit', '-o', 'jsonpath={.items[*].message}']);
      expect(stdout).toContain('policy audit-quiet/quiet fail: validation error');
    });
  });

  it('changes objects as MutatingPolicies say, one after the other, and each in its namespace', async () => {
    const namespace = 'mpol';
    const mutating = (name: string, expression: string, kind = 'MutatingPolicy', spec: object = {}) => ({
      apiVersion: 'policies.kyverno.io/v1',
      kind,
      metadata: { name },
      spec: {
        matchConstraints: {
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
          resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
        },
        matchConditions: [{ name: 'not-root', expression: "object.metadata.name != 'kube-root-ca.crt'" }],
        mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression } }],
        ...spec,
      },
    });
    const label = (key: string) => `Object{metadata: Object.metadata{labels: {"${key}": object.metadata.name}}}`;
    const targets = {
      targetMatchConstraints: { resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['secrets'] }] },
    };
    await ok(['create', 'namespace', namespace]);
    await ok(['create', 'namespace', 'mpol-other']);
    await ok(
      ['apply', '-n', namespace, '-f', '-'],
      [mutating('mpol-a', label('mpol-a')), mutating('mpol-b', label('mpol-b'), 'NamespacedMutatingPolicy')],
    );
    const warned = await create(mutating('mpol-targets', label('x'), 'MutatingPolicy', targets));
    expect(warned.stderr).toContain('changes nothing in a cluster without evaluation.mutateExisting.enabled');
    const ready = '--for=jsonpath={.status.conditionStatus.ready}=true';
    await ok(['wait', '-n', namespace, ready, '--timeout=120s', 'mpol/mpol-a', 'mpol/mpol-targets', 'nmpol/mpol-b']);
    await ok(['apply', '-f', '-'], [configMap(namespace, 'a')]);
    const labelsOf = async (place: string) =>
      JSON.parse(
        (await ok(['get', 'cm', 'a', '-n', place, '-o', 'jsonpath={.metadata.labels}'])).stdout || '{}',
      ) as unknown;
    expect(await labelsOf(namespace)).toEqual({ 'mpol-a': 'a', 'mpol-b': 'a' });
    await ok(['apply', '-f', '-'], [configMap('mpol-other', 'a')]);
    expect(await labelsOf('mpol-other')).toEqual({});
    const refused = await create(mutating('mpol-wrong', 'object.metadata'));
    expect(refused.stderr).toContain('must evaluate to Object');
    await ok(['delete', 'mpol', 'mpol-a', 'mpol-targets']);
    await ok(['delete', 'nmpol', '-n', namespace, '--all']);
  });

  it('has the API server ask as policies say, and shows their expressions what it sent', async () => {
    const namespace = 'asked';
    const resourceRules = (resources: readonly string[]) => [
      { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources },
    ];
    const ofKind = (kind: string, name: string, spec: object) => ({
      apiVersion: 'policies.kyverno.io/v1',
      kind,
      metadata: { name },
      spec,
    });
    const isHere = { name: 'here', expression: `request.namespace == '${namespace}'` };
    const mutating = (name: string, reinvocationPolicy: string) =>
      ofKind('MutatingPolicy', name, {
        matchConstraints: { resourceRules: resourceRules(['configmaps']) },
        matchConditions: [isHere],
        reinvocationPolicy,
        mutations: [
          {
            patchType: 'ApplyConfiguration',
            applyConfiguration: { expression: `Object{metadata: Object.metadata{labels: {"${name}": "yes"}}}` },
          },
        ],
      });
    await ok(['create', 'namespace', namespace]);
    await ok(['annotate', 'namespace', namespace, 'tier=gold']);
    await ok(
      ['apply', '-f', '-'],
      [
        ofKind('ValidatingPolicy', 'asked-exactly', {
          matchConstraints: { matchPolicy: 'Exact', resourceRules: resourceRules(['configmaps']) },
          matchConditions: [isHere],
          validations: [
            {
              expression:
                "namespaceObject.metadata.annotations.tier == 'gold' && namespaceObject.status.phase == 'Active'",
              message: 'wrong namespace',
            },
            {
              expression: "request.options.fieldManager == 'ann' && request.requestKind.kind == 'ConfigMap'",
              messageExpression: "'written by ' + request.options.fieldManager",
            },
          ],
        }),
        ofKind('ValidatingPolicy', 'asked-of-pods', {
          matchConstraints: { resourceRules: resourceRules(['pods']) },
          matchConditions: [
            isHere,
            { name: 'on-host', expression: 'has(object.spec.hostNetwork) && object.spec.hostNetwork' },
          ],
          validations: [{ expression: 'false', message: 'on the host' }],
        }),
        mutating('asked-once', 'Never'),
        mutating('asked-again', 'IfNeeded'),
      ],
    );
    const ready = '--for=jsonpath={.status.conditionStatus.ready}=true';
    const all = ['vpol/asked-exactly', 'vpol/asked-of-pods', 'mpol/asked-once', 'mpol/asked-again'];
    await ok(['wait', ready, '--timeout=120s', ...all]);

    const webhooks = async (type: string) => {
      const { stdout } = await ok(['get', `${type}webhookconfigurations`, '-o', 'json']);
      const { items } = JSON.parse(stdout) as { readonly items: readonly { readonly webhooks?: readonly Webhook[] }[] };
      return items.flatMap((item) => item.webhooks ?? []);
    };
    const validating = await webhooks('validating');
    const ofPolicy = (name: string) => validating.find((webhook) => webhook.name.includes(name));
    expect(ofPolicy('asked-exactly')).toMatchObject({ matchPolicy: 'Exact', matchConditions: [{ name: 'here' }] });
    expect(ofPolicy('asked-of-pods')).toMatchObject({
      matchPolicy: 'Equivalent',
      matchConditions: [{ name: 'here' }, { name: 'on-host' }],
    });
    expect(ofPolicy('asked-of-pods')?.matchConditions?.[1]?.expression).toContain('jobTemplate');
    const reinvocations = (await webhooks('mutating'))
      .filter(({ name }) => name.startsWith('mutate.'))
      .map(({ reinvocationPolicy }) => reinvocationPolicy);
    expect(reinvocations.sort()).toEqual(['IfNeeded', 'Never']);

    const write = (fieldManager: string, name: string) =>
      kubectl(['create', `--field-manager=${fieldManager}`, '-f', '-'], [configMap(namespace, name)]);
    expect((await write('bob', 'a')).stderr).toContain('written by bob');
    expect((await write('ann', 'a')).exitCode).toBe(0);
    const { stdout: labels } = await ok(['get', 'cm', 'a', '-n', namespace, '-o', 'jsonpath={.metadata.labels}']);
    expect(JSON.parse(labels)).toEqual({ 'asked-again': 'yes', 'asked-once': 'yes' });
    await ok(['annotate', '--overwrite', 'namespace', namespace, 'tier=silver']);
    await eventually(async () => expect((await write('ann', `b-${Date.now()}`)).stderr).toContain('wrong namespace'));

    const container = { name: 'c', image: 'registry.example/c:1' };
    const deployment = (name: string, hostNetwork: boolean) => ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, namespace },
      spec: {
        replicas: 0,
        selector: { matchLabels: { name } },
        template: { metadata: { labels: { name } }, spec: { hostNetwork, containers: [container] } },
      },
    });
    expect((await create(deployment('on-host', true))).stderr).toContain('on the host');
    expect((await create(deployment('not-on-host', false))).exitCode).toBe(0);
    await ok(['delete', 'vpol', 'asked-exactly', 'asked-of-pods']);
    await ok(['delete', 'mpol', 'asked-once', 'asked-again']);
  });

  it('denies, warns and only reports as a ValidatingPolicy says, and leaves out what an exception names', async () => {
    const namespace = 'vpol';
    const validating = (name: string, validationActions: readonly string[], spec: object = {}) => ({
      apiVersion: 'policies.kyverno.io/v1',
      kind: 'ValidatingPolicy',
      metadata: { name },
      spec: {
        matchConstraints: {
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
          resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
        },
        matchConditions: [{ name: 'not-root', expression: "object.metadata.name != 'kube-root-ca.crt'" }],
        variables: [{ name: 'labels', expression: 'object.metadata.?labels.orValue({})' }],
        validations: [{ expression: `'${name}' in variables.labels`, message: `the label ${name} is required` }],
        validationActions,
        ...spec,
      },
    });
    await ok(['create', 'namespace', namespace]);
    const names = ['vpol-deny', 'vpol-warn', 'vpol-audit', 'vpol-own'];
    await ok(
      ['apply', '-n', namespace, '-f', '-'],
      [
        validating('vpol-deny', ['Deny']),
        validating('vpol-warn', ['Warn', 'Audit']),
        validating('vpol-audit', ['Audit']),
        { ...validating('vpol-own', ['Warn']), kind: 'NamespacedValidatingPolicy' },
        {
          apiVersion: 'policies.kyverno.io/v1',
          kind: 'PolicyException',
          metadata: { name: 'excused' },
          spec: {
            policyRefs: [{ name: 'vpol-own', kind: 'NamespacedValidatingPolicy' }],
            matchConditions: [{ name: 'name', expression: "object.metadata.name == 'excused'" }],
          },
        },
      ],
    );
    for (const name of names) {
      const kind = name === 'vpol-own' ? 'nvpol' : 'vpol';
      const ready = '--for=jsonpath={.status.conditionStatus.ready}=true';
      await ok(['wait', '-n', namespace, ready, '--timeout=120s', `${kind}/${name}`]);
    }
    const refused = await create(configMap(namespace, 'a'));
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain('denied the request: Policy vpol-deny failed: the label vpol-deny is required');
    const admitted = await create(configMap(namespace, 'b', { 'vpol-deny': 'x' }));
    expect(admitted).toMatchObject({ exitCode: 0 });
    expect(admitted.stderr).toContain('Warning: Policy vpol-warn failed: the label vpol-warn is required');
    expect(admitted.stderr).toContain('Warning: Policy vpol/vpol-own failed: the label vpol-own is required');
    expect(admitted.stderr).not.toContain('vpol-audit');
    // An exception has no condition to wait for.
    await eventually(async () => {
      const object = configMap(namespace, 'excused', { 'vpol-deny': 'x' });
      const excused = await kubectl(['create', '--dry-run=server', '-f', '-'], [object]);
      expect(excused.stderr).toContain('vpol-warn');
      expect(excused.stderr).not.toContain('vpol-own');
    });
    await eventually(async () => {
      const { stdout } = await ok(['get', 'events', '-n', namespace, '-o', 'jsonpath={.items[*].message}']);
      expect(stdout).toContain('policy vpol-audit fail: the label vpol-audit is required');
    });
    const invalid = { ...validating('vpol-invalid', ['Deny']), metadata: { name: 'vpol-invalid' } };
    const wrong = { ...invalid, spec: { ...invalid.spec, validations: [{ expression: 'nowhere' }] } };
    const rejected = await create(wrong);
    expect(rejected.stderr).toMatch(/spec\.validations\[0\]\.expression: .*undeclared reference to 'nowhere'/);
    await ok(['delete', 'vpol', ...names.slice(0, 3)]);
    await ok(['delete', 'nvpol', '-n', namespace, '--all']);
  });

  it('mutates before it validates', async () => {
    await withPolicies(
      'mutate',
      policy('mutate-1', [
        {
          name: 'first',
          match: inNamespace('mutate', ['ConfigMap']),
          mutate: { patchStrategicMerge: { metadata: { labels: { '+(first)': 'set' } } } },
        },
        {
          name: 'second',
          match: inNamespace('mutate', ['ConfigMap']),
          mutate: {
            patchesJson6902:
              '- {op: add, path: /metadata/labels/second, value: "{{ request.object.metadata.labels.first }}"}',
          },
        },
      ]),
      policy('mutate-2', [needsLabel('second', 'mutate', { failureAction: 'Enforce' })]),
    );
    const created = await create(configMap('mutate', 'a'));
    expect(created).toMatchObject({ exitCode: 0, stderr: '' });
    const { stdout } = await ok(['get', 'cm', 'a', '-n', 'mutate', '-o', 'jsonpath={.metadata.labels}']);
    expect(JSON.parse(stdout)).toEqual({ first: 'set', second: 'set' });
    const dry = await kubectl(['create', '--dry-run=server', '-o', 'json', '-f', '-'], [configMap('mutate', 'dry')]);
    expect(JSON.parse(dry.stdout).metadata.labels).toEqual({ first: 'set', second: 'set' });
  });

  it('lets an exception pass, and nothing else', async () => {
    await withPolicies('except', policy('except', [needsLabel('team', 'except', { failureAction: 'Enforce' })]));
    await ok(
      ['apply', '-f', '-'],
      [
        {
          apiVersion: 'kyverno.io/v2',
          kind: 'PolicyException',
          metadata: { name: 'one', namespace: 'except' },
          spec: {
            exceptions: [{ policyName: 'except', ruleNames: ['team'] }],
            match: { any: [{ resources: { kinds: ['ConfigMap'], names: ['excused-*'] } }] },
          },
        },
      ],
    );
    await eventually(async () => expect(await create(configMap('except', 'excused-1'))).toMatchObject({ exitCode: 0 }));
    expect((await create(configMap('except', 'other'))).stderr).toContain('was blocked due to');
  });

  it('refuses a policy that could not run, with the path of the field', async () => {
    const broken = (key: string) =>
      policy('broken', [
        {
          name: 'x',
          match: { any: [{ resources: { kinds: ['ConfigMap'] } }] },
          validate: { message: 'm', deny: { conditions: { any: [{ key, operator: 'Equals', value: 'x' }] } } },
        },
      ]);
    const refused = await kubectl(['apply', '--dry-run=server', '-f', '-'], [broken('{{ request.object.[ }}')]);
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain('admission webhook "check.story.svc" denied the request');
    expect(refused.stderr).toContain('spec.rules[0].validate.deny.conditions.any[0].key: failed to parse JMESPath');
    await ok(['apply', '--dry-run=server', '-f', '-'], [broken('{{ request.object.metadata.name }}')]);
    const unknown = await kubectl(
      ['apply', '--dry-run=server', '-f', '-'],
      [policy('broken', [{ ...needsLabel('x', 'y'), valdiate: {} }])],
    );
    expect(unknown.stderr).toContain('unknown field "spec.rules[0].valdiate"');
    const exception = { apiVersion: 'kyverno.io/v2', kind: 'PolicyException', metadata: { name: 'bad' } };
    const without = await kubectl(
      ['create', '--dry-run=server', '-f', '-'],
      [{ ...exception, spec: { exceptions: [], match: {} } }],
    );
    expect(without.stderr).toContain('spec.exceptions: at least one policy must be named');
  });

  it('keeps objects from being deleted where a rule says so', async () => {
    await withPolicies(
      'delete',
      policy(
        'delete',
        [
          {
            name: 'protected',
            match: inNamespace('delete', ['ConfigMap'], {
              operations: ['DELETE'],
              selector: { matchLabels: { keep: 'yes' } },
            }),
            validate: { message: '{{ request.oldObject.metadata.name }} stays', deny: {} },
          },
        ],
        { spec: { validationFailureAction: 'Enforce' } },
      ),
    );
    await ok(['create', '-f', '-'], [configMap('delete', 'kept', { keep: 'yes' }), configMap('delete', 'other')]);
    await eventually(async () => {
      const refused = await kubectl(['delete', 'cm', 'kept', '-n', 'delete', '--dry-run=server']);
      expect(refused.stderr).toContain('protected: kept stays');
    });
    expect(await kubectl(['delete', 'cm', 'other', '-n', 'delete'])).toMatchObject({ exitCode: 0 });
  });

  it('evaluates subresources by the kind they belong to', async () => {
    await withPolicies(
      'scale',
      policy(
        'scale',
        [
          {
            name: 'small',
            match: inNamespace('scale', ['Deployment/scale']),
            validate: {
              failureAction: 'Enforce',
              message: 'at most 3 replicas',
              pattern: { spec: { replicas: '<=3' } },
            },
          },
        ],
        { spec: { background: false } },
      ),
    );
    await ok(['create', 'deployment', 'web', '--image=nginx', '--replicas=0', '-n', 'scale']);
    const refused = await kubectl(['scale', 'deployment/web', '--replicas=5', '-n', 'scale']);
    expect(refused.stderr).toContain('at most 3 replicas');
    expect(await kubectl(['scale', 'deployment/web', '--replicas=2', '-n', 'scale'])).toMatchObject({ exitCode: 0 });
  });

  it('knows the labels of namespaces, and of overrides for some of them', async () => {
    const rule = {
      ...needsLabel('team', 'x', {
        failureAction: 'Audit',
        failureActionOverrides: [{ action: 'Enforce', namespaces: ['strict-*'] }],
      }),
      match: { any: [{ resources: { kinds: ['ConfigMap'], namespaceSelector: { matchLabels: { env: 'prod' } } } }] },
    };
    await withPolicies('labels', policy('labels', [rule]));
    for (const [name, env] of [
      ['strict-prod', 'prod'],
      ['strict-test', 'test'],
      ['easy-prod', 'prod'],
    ] as const)
      await ok(['create', '-f', '-'], [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: { env } } }]);
    expect((await create(configMap('strict-prod', 'a'))).stderr).toContain('the label team is required');
    expect(await create(configMap('strict-test', 'a'), configMap('easy-prod', 'a'))).toMatchObject({ exitCode: 0 });
  });

  it('keeps a failing look-up to its rule, by the failure policy of its policy', async () => {
    const looksUp = (name: string) => ({
      name: 'look',
      match: inNamespace('lookup', ['ConfigMap'], { names: [`${name}-*`] }),
      context: [{ name: 'map', configMap: { name: 'not-there', namespace: 'lookup' } }],
      validate: {
        failureAction: 'Enforce',
        message: 'm',
        deny: { conditions: { any: [{ key: '{{ map.data.x }}', operator: 'Equals', value: 'y' }] } },
      },
    });
    await withPolicies(
      'lookup',
      policy('look-fail', [looksUp('fail')], { spec: { failurePolicy: 'Fail' } }),
      policy('look-ignore', [looksUp('ignore')], { spec: { failurePolicy: 'Ignore' } }),
    );
    const refused = await create(configMap('lookup', 'fail-1'));
    expect(refused.stderr).toContain('look-fail:');
    expect(refused.stderr).toContain('not-there');
    expect(await create(configMap('lookup', 'ignore-1'), configMap('lookup', 'unrelated'))).toMatchObject({
      exitCode: 0,
    });
    await ok(['create', 'configmap', 'not-there', '-n', 'lookup', '--from-literal=x=z']);
    await eventually(async () => expect(await create(configMap('lookup', 'fail-1'))).toMatchObject({ exitCode: 0 }));
  });

  it('says of a policy that cannot run that it is not ready', async () => {
    // Taken while nobody checked it: the check is there for people, not for safety.
    await session().kill();
    await ok(
      ['create', '-f', '-'],
      [policy('unready', [{ ...needsLabel('a', 'b'), validate: { cel: { expressions: [] } } }])],
    );
    await session().start();
    await ok(['wait', '--for=condition=Ready=false', '--timeout=120s', 'clusterpolicy/unready']);
    const { stdout } = await ok(['get', 'cpol', 'unready']);
    expect(stdout).toMatch(/unready +true +true +False +\S+ +spec\.rules\[0\]/);
  });

  describe('with Supercargo dead', () => {
    it('leaves kube-system and its own namespace open, and refuses what an enforced rule is for', async () => {
      await withPolicies(
        'dead',
        policy('dead', [{ ...needsLabel('team', 'dead'), match: { any: [{ resources: { kinds: ['ConfigMap'] } }] } }]),
      );
      await session().kill();
      expect(await create(configMap('kube-system', 'a'), configMap('story', 'a'))).toMatchObject({ exitCode: 0 });
      const refused = await create(configMap('dead', 'a'));
      expect(refused.stderr).toMatch(/failed calling webhook "(mutate|validate)\.fail\.story\.svc"/);
      await ok(['delete', 'cm', 'a', '-n', 'kube-system']);
      await session().start();
      await eventually(async () => expect(await create(configMap('dead', 'a'))).toMatchObject({ exitCode: 0 }));
    });
  });

  it('takes its webhooks away with the last policy, but for the check and the probe', async () => {
    await ok(['delete', 'cpol', '--all']);
    await eventually(async () => {
      const { stdout } = await ok([
        'get',
        'validatingwebhookconfigurations,mutatingwebhookconfigurations',
        '-o',
        'name',
      ]);
      expect(stdout.trim().split('\n').sort()).toEqual([
        'mutatingwebhookconfiguration.admissionregistration.k8s.io/story-probe-admission',
        'validatingwebhookconfiguration.admissionregistration.k8s.io/story-policy-check',
      ]);
    });
  });
}
