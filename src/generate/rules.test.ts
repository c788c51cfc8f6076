import { describe, expect, it } from 'vitest';
import type { DiscoveredType } from '../kube/index.ts';
import { compilePolicy } from '../policy/index.ts';
import { actsOnWrites, existingOperation, followedTypes, isAdmissionBound, isGenerating, needsTrust } from './rules.ts';

const type = (group: string, version: string, kind: string, more: Partial<DiscoveredType> = {}): DiscoveredType => ({
  group,
  version,
  kind,
  resource: `${kind.toLowerCase()}s`,
  namespaced: true,
  singular: '',
  shortNames: [],
  categories: [],
  verbs: ['get', 'list', 'watch', 'create'],
  subresources: [],
  isPreferredVersion: true,
  ...more,
});
const types = [
  type('', 'v1', 'Pod', { subresources: ['status', 'exec', 'ephemeralcontainers'] }),
  type('', 'v1', 'Event'),
  type('', 'v1', 'Namespace', { namespaced: false }),
  type('autoscaling', 'v2', 'HorizontalPodAutoscaler'),
  type('autoscaling', 'v1', 'HorizontalPodAutoscaler', { isPreferredVersion: false }),
  type('authentication.k8s.io', 'v1', 'TokenReview', { verbs: ['create'] }),
];

function ruleOf(
  match: unknown,
  more: Readonly<Record<string, unknown>> = {},
  spec: Readonly<Record<string, unknown>> = {},
) {
  const { program, issues } = compilePolicy({
    apiVersion: 'kyverno.io/v1',
    kind: 'ClusterPolicy',
    metadata: { name: 'p' },
    spec: {
      background: false,
      ...spec,
      rules: [
        {
          name: 'r',
          match: { any: [match] },
          generate: {
            apiVersion: 'v1',
            kind: 'ConfigMap',
            name: 'x',
            namespace: 'y',
            data: {},
            ...(more['generate'] as object),
          },
          ...(more['preconditions'] ? { preconditions: more['preconditions'] } : {}),
        },
      ],
    },
  });
  expect(issues.filter(({ severity }) => severity === 'error')).toEqual([]);
  return { program: program!, rule: program!.rules[0]! };
}

const kinds = (...names: string[]) => ({ resources: { kinds: names } });
const reading = (expression: string) => ({
  preconditions: { all: [{ key: `{{ ${expression} || '' }}`, operator: 'NotEquals', value: 'x' }] },
});

describe('a rule', () => {
  it('works from watches when it reads only the stored object', () => {
    expect(isAdmissionBound(ruleOf(kinds('Pod')).rule, types)).toBe(false);
    const { rule } = ruleOf({ resources: { kinds: ['Pod'], operations: ['CREATE', 'UPDATE'] } });
    expect(isAdmissionBound(rule, types)).toBe(false);
    expect(isAdmissionBound(ruleOf(kinds('Pod'), reading('request.operation')).rule, types)).toBe(false);
  });

  it.each([
    ['reads the user', kinds('Pod'), reading('request.userInfo.username')],
    ['reads the account', kinds('Pod'), reading('serviceAccountName')],
    ['reads what was before', kinds('Pod'), reading('request.oldObject.metadata.name')],
    ['reads it in quotes', kinds('Pod'), reading('request."oldObject".metadata.name')],
    ['reads it behind a pipe', kinds('Pod'), reading('request | @.oldObject.metadata.name')],
    ['reads the whole request', kinds('Pod'), reading('to_string(request)')],
    ['matches a subject', { ...kinds('Pod'), subjects: [{ kind: 'User', name: 'jane' }] }, {}],
    ['matches a role', { ...kinds('Pod'), clusterRoles: ['admin'] }, {}],
    ['matches deletions', { resources: { kinds: ['Pod'], operations: ['DELETE'] } }, {}],
    ['matches a subresource', kinds('Pod/exec'), {}],
    ['matches a kind that is never stored', kinds('TokenReview'), {}],
  ])('is bound to admission when it %s', (_, match, more) => {
    expect(isAdmissionBound(ruleOf(match, more).rule, types)).toBe(true);
  });

  it('works from watches whatever words its data contain', () => {
    const words = ['serviceAccountName', 'request.userInfo', 'request.oldObject', 'request.dryRun'];
    const data = { metadata: { annotations: { note: words.join(' ') } }, data: { serviceAccountName: 'x' } };
    expect(isAdmissionBound(ruleOf(kinds('Pod'), { generate: { data } }).rule, types)).toBe(false);
    expect(isAdmissionBound(ruleOf(kinds('Pod'), reading('request.object.spec.serviceAccountName')).rule, types)).toBe(
      false,
    );
  });

  it.each([
    [true, 'reads the user', kinds('Pod'), reading('request.userInfo.username')],
    [true, 'matches a subject', { ...kinds('Pod'), subjects: [{ kind: 'User', name: 'jane' }] }, {}],
    [true, 'matches a subresource', kinds('Pod/exec'), {}],
    [true, 'matches a kind that is never stored', kinds('TokenReview'), {}],
    [false, 'matches deletions', { resources: { kinds: ['Pod'], operations: ['DELETE'] } }, {}],
    [false, 'reads what was before', kinds('Pod'), reading('request.oldObject.metadata.name')],
  ])('needs a trusted review (%s) when it %s', (expected, _, match, more) => {
    expect(needsTrust(ruleOf(match, more).rule, types)).toBe(expected);
  });

  it('watches each kind in one version, and frequently written kinds only by name', () => {
    const followed = (...names: string[]) =>
      followedTypes(ruleOf(kinds(...names)).rule, types).map(({ version, kind }) => `${version}/${kind}`);
    expect(followed('HorizontalPodAutoscaler')).toEqual(['v2/HorizontalPodAutoscaler']);
    expect(followed('autoscaling/v1/HorizontalPodAutoscaler')).toEqual(['v1/HorizontalPodAutoscaler']);
    expect(followed('E*', 'Name*')).toEqual(['v1/Namespace']);
    expect(followed('Event')).toEqual(['v1/Event']);
    const named = { resources: { kinds: ['E*', 'Name*'], names: ['Event'] } };
    expect(followedTypes(ruleOf(named).rule, types).map(({ kind }) => kind)).toEqual(['Namespace']);
    expect(followed('Unheard')).toEqual([]);
  });

  it('acts on existing objects when it or its policy says so, the rule first', () => {
    const existing = (rule: unknown, policy: unknown) => {
      const generate = rule === undefined ? {} : { generateExisting: rule };
      const found = ruleOf(kinds('Pod'), { generate }, policy === undefined ? {} : { generateExisting: policy });
      return found.rule.actsOnExisting;
    };
    expect(existing(undefined, undefined)).toBe(false);
    expect(existing(undefined, true)).toBe(true);
    expect(existing(false, true)).toBe(false);
    expect(existing(true, undefined)).toBe(true);
  });
});

describe('a policy of expressions', () => {
  const compiled = (
    kind: string,
    evaluation: object | undefined,
    more: object = {},
    resources = ['pods'],
    operations = ['CREATE'],
  ) => {
    const { program, issues } = compilePolicy({
      apiVersion: 'policies.kyverno.io/v1',
      kind,
      metadata: { name: 'p' },
      spec: {
        matchConstraints: { resourceRules: [{ apiGroups: ['*'], apiVersions: ['*'], operations, resources }] },
        ...(evaluation ? { evaluation } : {}),
        ...more,
      },
    });
    if (!program) throw new Error(JSON.stringify(issues));
    return { program, rule: program.rules[0]! };
  };
  const mutations = [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } }];
  const generate = [{ template: { value: '{apiVersion: v1, kind: ConfigMap, metadata: {name: x}}' } }];
  const on = { enabled: true };
  const off = { enabled: false };

  it('changes what is stored only with mutateExisting', () => {
    const targets = { targetMatchConstraints: { expression: "resource.Get('v1', 'pods', 'a', 'b')" } };
    const isActive = (evaluation: object, more: object) => {
      const { program, rule } = compiled('MutatingPolicy', evaluation, { mutations, ...more });
      return isGenerating(program, rule);
    };
    expect(isActive({}, {})).toBe(false);
    expect(isActive({}, targets)).toBe(false);
    expect(isActive({ mutateExisting: on }, {})).toBe(true);
    expect(isActive({ mutateExisting: on }, targets)).toBe(true);
  });

  it('that deletes is run by others, at its times', () => {
    const { program, rule } = compiled('DeletingPolicy', undefined, { schedule: '* * * * *' });
    expect(isGenerating(program, rule)).toBe(false);
  });

  it('generates for writes unless its admission is off; mutations are for writes too', () => {
    expect(actsOnWrites(compiled('GeneratingPolicy', {}, { generate }).program)).toBe(true);
    expect(actsOnWrites(compiled('GeneratingPolicy', { admission: off }, { generate }).program)).toBe(false);
    const { program } = compiled('MutatingPolicy', { admission: off, mutateExisting: on }, { mutations });
    expect(actsOnWrites(program)).toBe(true);
  });

  it('sees what exists as created, or as updated where it mutates', () => {
    const generating = compiled('GeneratingPolicy', {}, { generate }, ['pods'], ['CREATE', 'UPDATE']);
    expect(existingOperation(generating.rule, types[0]!)).toBe('CREATE');
    const mutating = (operations: string[]) =>
      existingOperation(
        compiled('MutatingPolicy', { mutateExisting: on }, { mutations }, ['pods'], operations).rule,
        types[0]!,
      );
    expect(mutating(['CREATE', 'UPDATE'])).toBe('UPDATE');
    expect(mutating(['*'])).toBe('UPDATE');
    expect(mutating(['CREATE'])).toBe('CREATE');
  });

  it('watches frequently written kinds only where it names them', () => {
    const followed = (...resources: string[]) =>
      followedTypes(compiled('GeneratingPolicy', {}, { generate }, resources).rule, types).map(({ kind }) => kind);
    expect(followed('*')).toEqual(['Pod', 'Namespace', 'HorizontalPodAutoscaler']);
    expect(followed('events')).toEqual(['Event']);
  });
});
