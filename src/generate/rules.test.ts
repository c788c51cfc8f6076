import { describe, expect, it } from 'vitest';
import type { DiscoveredType } from '../kube/index.ts';
import { compilePolicy } from '../policy/index.ts';
import { followedTypes, isAdmissionBound, needsTrust } from './rules.ts';

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
