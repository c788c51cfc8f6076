import { describe, expect, it } from 'vitest';
import type { PolicyRequest } from '../request.ts';
import type { MatchBlock } from '../types.ts';
import { parseKindSelector } from './kind-selector.ts';
import { compileRuleMatch } from './rule-match.ts';

const pod = (over: Partial<PolicyRequest> = {}): PolicyRequest => ({
  operation: 'CREATE',
  kind: { group: '', version: 'v1', kind: 'Pod' },
  subresource: '',
  object: {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web-1', namespace: 'shop', labels: { app: 'web' }, annotations: { 'team.io/name': 'a' } },
  },
  namespaceLabels: { env: 'prod' },
  uid: 'u',
  now: 0,
  ...over,
});
const user = (username: string, groups: readonly string[] = []) => ({
  userInfo: { username, groups },
  roles: ['shop:edit'],
  clusterRoles: ['view'],
});
const matches = (match: MatchBlock, request = pod(), exclude?: MatchBlock) =>
  compileRuleMatch({ match, exclude })(request) === undefined;
const resources = (description: MatchBlock['resources'] & object): MatchBlock => ({
  any: [{ resources: description }],
});

describe('kinds in a match', () => {
  it.each([
    ['Pod', { group: '*', version: '*', kind: 'Pod', subresource: '' }],
    ['v1/Pod', { group: '*', version: 'v1', kind: 'Pod', subresource: '' }],
    ['Pod/status', { group: '*', version: '*', kind: 'Pod', subresource: 'status' }],
    ['Pod.status', { group: '*', version: '*', kind: 'Pod', subresource: 'status' }],
    ['apps/v1/Deployment', { group: 'apps', version: 'v1', kind: 'Deployment', subresource: '' }],
    ['*/*', { group: '*', version: '*', kind: '*', subresource: '*' }],
    ['*/scale', { group: '*', version: '*', kind: '*', subresource: 'scale' }],
    ['apps/*/Deployment/scale', { group: 'apps', version: '*', kind: 'Deployment', subresource: 'scale' }],
    ['v1/Pod.eviction', { group: '*', version: 'v1', kind: 'Pod', subresource: 'eviction' }],
  ])('%s', (text, expected) => expect(parseKindSelector(text)).toEqual(expected));

  it('are invalid with more than four parts', () => expect(parseKindSelector('a/b/c/d/e')).toBeUndefined());

  it.each([
    [['Pod'], true],
    [['*'], true],
    [['P*'], true],
    [['apps/v1/Pod'], false],
    [['Deployment', 'v1/Pod'], true],
    [['pod'], false],
    [['Pod/status'], false],
  ])('%j on a pod', (kinds, expected) => expect(matches(resources({ kinds }))).toBe(expected));

  it('exclude subresources, except ephemeral containers', () => {
    expect(matches(resources({ kinds: ['Pod'] }), pod({ subresource: 'status' }))).toBe(false);
    expect(matches(resources({ kinds: ['Pod'] }), pod({ subresource: 'ephemeralcontainers' }))).toBe(true);
  });
});

describe('a filter', () => {
  it.each([
    [{ name: 'web-*' }, true],
    [{ names: ['api', 'web-?'] }, true],
    [{ names: ['api'] }, false],
    [{ namespaces: ['sh*'] }, true],
    [{ namespaces: ['other'] }, false],
    [{ annotations: { 'team.io/*': '?' } }, true],
    [{ annotations: { 'team.io/*': 'b' } }, false],
    [{ selector: { matchLabels: { app: 'w*' } } }, true],
    [{ selector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['api'] }] } }, false],
    [{ namespaceSelector: { matchLabels: { env: 'prod' } } }, true],
    [{ namespaceSelector: { matchLabels: { env: 'dev' } } }, false],
    [{ operations: ['CREATE', 'UPDATE'] }, true],
    [{ operations: ['DELETE'] }, false],
  ])('%j', (description, expected) => expect(matches(resources({ kinds: ['Pod'], ...description }))).toBe(expected));

  it('matches by user, and ignores users if the request has none', () => {
    const byGroup: MatchBlock = {
      any: [{ resources: { kinds: ['Pod'] }, subjects: [{ kind: 'Group', name: 'dev*' }] }],
    };
    expect(matches(byGroup, pod({ info: user('ann', ['developers']) }))).toBe(true);
    expect(matches(byGroup, pod({ info: user('bob', ['ops']) }))).toBe(false);
    expect(matches(byGroup)).toBe(true);
  });

  it.each([
    [[{ kind: 'User', name: 'ann' }], 'ann', true],
    [[{ kind: 'User', name: 'a*' }], 'bob', false],
    [[{ kind: 'ServiceAccount', name: 'bot', namespace: 'ci' }], 'system:serviceaccount:ci:bot', true],
    [[{ kind: 'ServiceAccount', name: 'bot', namespace: 'ci' }], 'system:serviceaccount:other:bot', false],
  ])('subjects %j and user %s', (subjects, name, expected) => {
    expect(matches({ any: [{ resources: { kinds: ['Pod'] }, subjects }] }, pod({ info: user(name) }))).toBe(expected);
  });
});

describe('match and exclude', () => {
  const all = (...filters: (MatchBlock['resources'] & object)[]): MatchBlock => ({
    all: filters.map((r) => ({ resources: r })),
  });

  it('any needs one filter, all needs every one', () => {
    expect(matches({ any: [{ resources: { kinds: ['Secret'] } }, { resources: { kinds: ['Pod'] } }] })).toBe(true);
    expect(matches(all({ kinds: ['Pod'] }, { namespaces: ['shop'] }))).toBe(true);
    expect(matches(all({ kinds: ['Pod'] }, { namespaces: ['other'] }))).toBe(false);
  });

  it('exclude removes what its filters match', () => {
    const match = resources({ kinds: ['Pod'] });
    expect(matches(match, pod(), resources({ namespaces: ['shop'] }))).toBe(false);
    expect(matches(match, pod(), resources({ namespaces: ['other'] }))).toBe(true);
    expect(matches(match, pod(), all({ namespaces: ['shop'] }, { names: ['other'] }))).toBe(true);
    expect(matches(match, pod(), {})).toBe(true);
  });

  it('excludes by user only if the request has one', () => {
    const exclude: MatchBlock = { any: [{ clusterRoles: ['view'] }] };
    expect(matches(resources({ kinds: ['Pod'] }), pod({ info: user('ann') }), exclude)).toBe(false);
    expect(matches(resources({ kinds: ['Pod'] }), pod(), exclude)).toBe(true);
  });

  it('an empty match matches nothing', () => expect(matches({})).toBe(false));

  it('a namespaced policy matches its own namespace only', () => {
    const inside = compileRuleMatch({ match: resources({ kinds: ['Pod'] }), policyNamespace: 'shop' });
    const outside = compileRuleMatch({ match: resources({ kinds: ['Pod'] }), policyNamespace: 'other' });
    expect([inside(pod()), outside(pod())]).toEqual([undefined, 'the policy is for another namespace']);
  });

  it('matches a deletion by the old object', () => {
    const { object, ...rest } = pod();
    expect(
      matches(resources({ kinds: ['Pod'], operations: ['DELETE'] }), {
        ...rest,
        operation: 'DELETE',
        oldObject: object,
      }),
    ).toBe(true);
  });
});
