import { describe, expect, it } from 'vitest';
import { CelError, dynType, kubernetesEnvironment, requestType, type Variables } from '../../cel/index.ts';
import type { KubeObject } from '../../object/index.ts';
import { compileExpression, requestValue } from '../cel/index.ts';
import { compilePolicy, createEvaluation, type PolicyProgram, type PolicyRequest } from '../index.ts';

const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['pods'] };

function programOf(conditions: Readonly<Record<string, string>>, spec: object = {}): PolicyProgram {
  const { program, issues } = compilePolicy({
    apiVersion: 'policies.kyverno.io/v1',
    kind: 'ValidatingPolicy',
    metadata: { name: 'p' },
    spec: {
      matchConstraints: { resourceRules: [rule] },
      matchConditions: Object.entries(conditions).map(([name, expression]) => ({ name, expression })),
      validations: [{ expression: 'false' }],
      ...spec,
    },
  });
  if (!program) throw new Error(JSON.stringify(issues));
  return program;
}

const webhookScope: Variables = new Map([
  ['object', dynType],
  ['oldObject', dynType],
  ['request', requestType],
]);

/** What an API server makes of the conditions of a webhook: a false one wins over an error. */
function asServer({ settings }: PolicyProgram, request: PolicyRequest): 'skip' | 'call' | 'refuse' {
  const { object = null, oldObject = null } = request;
  const values = settings.matchConditions.map(({ expression }) => {
    const compiled = compileExpression(expression, webhookScope, undefined, kubernetesEnvironment);
    if ('error' in compiled) throw new Error(compiled.error);
    return compiled.program.evaluate([object, oldObject, requestValue(request)], 1_000_000).value;
  });
  if (values.includes(false)) return 'skip';
  if (!values.some((value) => value instanceof CelError)) return 'call';
  return settings.failurePolicy === 'Ignore' ? 'skip' : 'refuse';
}

/** Whether the policy denies a request that it is asked about. */
function denies(program: PolicyProgram, request: PolicyRequest): boolean {
  const evaluation = createEvaluation([program], request, { phase: 'validate' });
  evaluation.advance(new Map());
  return evaluation.results.some(({ status }) => status === 'fail' || status === 'error');
}

const withPush = (program: PolicyProgram, request: PolicyRequest): boolean => {
  const decision = asServer(program, request);
  return decision === 'call' ? denies(program, request) : decision === 'refuse';
};

function requestFor(object: KubeObject, resource: string, more: Partial<PolicyRequest> = {}): PolicyRequest {
  const [group = '', version = ''] = object.apiVersion.includes('/')
    ? object.apiVersion.split('/')
    : ['', object.apiVersion];
  return {
    operation: 'CREATE',
    kind: { group, version, kind: object.kind, resource },
    subresource: '',
    object,
    namespaceLabels: {},
    info: { userInfo: { username: 'ann', groups: [] }, roles: [], clusterRoles: [] },
    uid: 'u',
    now: 0,
    ...more,
  };
}

const metadata = (name: string, labels?: Readonly<Record<string, string>>) => ({
  name,
  namespace: 'shop',
  ...(labels ? { labels } : {}),
});
const pod = (labels?: Readonly<Record<string, string>>): KubeObject =>
  ({ apiVersion: 'v1', kind: 'Pod', metadata: metadata('web', labels), spec: { hostNetwork: true } }) as never;
const template = (labels?: object) => ({ template: { metadata: { labels }, spec: { hostNetwork: true } } });
const deployment = (labels?: Readonly<Record<string, string>>): KubeObject =>
  ({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: metadata('web'), spec: template(labels) }) as never;
const cronJob = (labels?: Readonly<Record<string, string>>): KubeObject =>
  ({
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: metadata('web'),
    spec: { jobTemplate: { spec: template(labels) } },
  }) as never;

const samples: readonly (readonly [string, PolicyRequest])[] = [undefined, {}, { team: 'a' }, { team: 'b' }].flatMap(
  (labels) => [
    [`pod ${JSON.stringify(labels)}`, requestFor(pod(labels), 'pods')] as const,
    [
      `removed pod ${JSON.stringify(labels)}`,
      requestFor(pod(labels), 'pods', { operation: 'DELETE', object: undefined, oldObject: pod(labels) }),
    ] as const,
    [`deployment ${JSON.stringify(labels)}`, requestFor(deployment(labels), 'deployments')] as const,
    [`cron job ${JSON.stringify(labels)}`, requestFor(cronJob(labels), 'cronjobs')] as const,
  ],
);

const conditionSets: readonly Readonly<Record<string, string>>[] = [
  { team: "object.metadata.labels.team == 'a'" },
  { has: 'has(object.spec.hostNetwork)', team: "object.metadata.?labels.?team.orValue('') != 'b' // not theirs" },
  { user: "request.userInfo.username == 'ann'", team: "object.metadata.labels.team == 'a'" },
  { never: 'false', team: "object.metadata.labels.team == 'a'" },
  { old: "request.operation == 'DELETE' ? oldObject.metadata.labels.team == 'a' : true" },
  { kyverno: 'time.now() > timestamp("2026-01-01T00:00:00Z")', team: "object.metadata.labels.team == 'a'" },
];

describe.each(['Fail', 'Ignore'])('conditions in a webhook with failurePolicy %s', (failurePolicy) => {
  it.each(conditionSets)('decide as the policy alone does: %j', (conditions) => {
    const program = programOf(conditions, { failurePolicy });
    for (const [what, request] of samples) {
      expect(withPush(program, request), what).toBe(denies(program, request));
    }
  });
});

const pushed = (conditions: Readonly<Record<string, string>>, spec: object = {}) =>
  programOf(conditions, spec).settings.matchConditions.map(({ name }) => name);

const own = { own: "request.namespace != 'x'" };
const mixed = { ...own, kyverno: "time.now() > timestamp('2026-01-01T00:00:00Z')" };

describe('conditions that the API server evaluates', () => {
  it('are those in its own language, with names it allows', () => {
    expect(pushed(own)).toEqual(['own']);
    expect(pushed({ 'no good name': 'true' })).toEqual([]);
    expect(pushed({ other: 'namespaceObject.metadata.name == "x"' })).toEqual([]);
  });

  it('are all or none where one that fails refuses, and any where it skips', () => {
    expect(pushed(mixed)).toEqual([]);
    expect(pushed(mixed, { failurePolicy: 'Ignore' })).toEqual(['own']);
  });

  it.each([
    ['a policy that only reports', { validationActions: ['Audit'] }],
    ['a selector', { matchConstraints: { resourceRules: [rule], objectSelector: { matchLabels: { a: 'b' } } } }],
    [
      'a selector of namespaces',
      { matchConstraints: { resourceRules: [rule], namespaceSelector: { matchLabels: { a: 'b' } } } },
    ],
    ['exclusions', { matchConstraints: { resourceRules: [rule], excludeResourceRules: [rule] } }],
    ['names', { matchConstraints: { resourceRules: [{ ...rule, resourceNames: ['web'] }] } }],
  ])('are none where one that fails would refuse what the policy does not: %s', (_, spec) => {
    expect(pushed(own, spec)).toEqual([]);
    expect(pushed(own, { ...spec, failurePolicy: 'Ignore' })).toEqual(['own']);
  });

  it('let updates of objects under deletion through', () => {
    const labelled = programOf({ team: "object.metadata.labels.team == 'a'" });
    const object = { ...pod(), metadata: { ...metadata('web'), deletionTimestamp: '2026-01-01T00:00:00Z' } };
    expect(asServer(labelled, requestFor(object, 'pods', { operation: 'UPDATE', oldObject: object }))).toBe('call');
    expect(asServer(labelled, requestFor(pod(), 'pods'))).toBe('refuse');
  });

  it('are told apart by resource for what autogen derives', () => {
    const program = programOf({ team: "object.metadata.labels.team == 'a'" }, { failurePolicy: 'Ignore' });
    expect(program.settings.matchConditions).toHaveLength(1);
    const decisions = samples.map(([what, request]) => `${what}: ${asServer(program, request)}`);
    expect(decisions.filter((text) => text.endsWith('call'))).toEqual([
      'pod {"team":"a"}: call',
      'deployment {"team":"a"}: call',
      'cron job {"team":"a"}: call',
    ]);
  });
});
