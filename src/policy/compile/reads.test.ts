import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileException, compilePolicy, type PolicyProgram, type PolicyRequest, type RuleReads } from '../index.ts';
import { policies } from '../testing/arbitrary-policy.ts';
import { requests } from '../testing/arbitrary-request.ts';
import { fuzzRuns } from '../testing/arbitrary-values.ts';
import { evaluateAll } from '../testing/evaluate-all.ts';

type Part = keyof RuleReads;

const named = (reads: RuleReads) => (Object.keys(reads) as Part[]).filter((part) => reads[part]).sort();

function compiled(rule: Readonly<Record<string, unknown>>, spec: Readonly<Record<string, unknown>> = {}) {
  const { program, issues } = compilePolicy({
    apiVersion: 'kyverno.io/v1',
    kind: 'ClusterPolicy',
    metadata: { name: 'p' },
    spec: {
      background: false,
      ...spec,
      rules: [{ name: 'r', match: { any: [{ resources: { kinds: ['ConfigMap'] } }] }, ...rule }],
    },
  });
  expect(issues.filter(({ severity }) => severity === 'error')).toEqual([]);
  return program!.rules[0]!.reads;
}

const denying = (key: string) => ({
  validate: { message: 'm', deny: { conditions: { any: [{ key, operator: 'Equals', value: 'x' }] } } },
});
const patterned = (pattern: object) => ({ validate: { message: 'm', pattern } });
const inMatch = (filter: object) => ({
  ...patterned({ metadata: { name: '?*' } }),
  match: { any: [{ resources: { kinds: ['ConfigMap'] } }, filter] },
});
const withContext = (entry: object) => ({
  context: [{ name: 'c', ...entry }],
  ...patterned({ data: { a: '{{ c }}' } }),
});
const looping = (list: string, loop: object = {}) => ({
  validate: { message: 'm', foreach: [{ list, pattern: { name: '?*' }, ...loop }] },
});
const generating = (target: object) => ({
  generate: { apiVersion: 'v1', kind: 'Secret', name: 'x', namespace: 'y', ...target },
});

const user: readonly Part[] = ['namedUser', 'user'];
const roles: readonly Part[] = ['namedUser', 'roles', 'user'];
const request: readonly Part[] = ['oldObject', 'operation', 'options', 'roles', 'status', 'user'];

describe('what a rule reads', () => {
  it.each<[string, Readonly<Record<string, unknown>>, readonly Part[]]>([
    ['nothing but the object', denying('{{ request.object.metadata.name }}'), []],
    ['the user', denying('{{ request.userInfo.username }}'), user],
    ['the account', denying('{{ serviceAccountName }}'), user],
    ['the namespace of the account', denying('{{ serviceAccountNamespace }}'), user],
    ['roles', denying('{{ request.roles }}'), roles],
    ['cluster roles', denying('{{ request."clusterRoles" }}'), roles],
    ['the old object', denying('{{ request.oldObject.metadata.name }}'), ['oldObject']],
    ['the old object in quotes', denying('{{ request."oldObject".metadata.name }}'), ['oldObject']],
    ['the old object behind a pipe', denying('{{ request | @.oldObject.metadata }}'), ['oldObject']],
    ['the old object behind the scope', denying('{{ @.request.oldObject.metadata }}'), ['oldObject']],
    ['one or the other', denying('{{ (request.object || request.oldObject) | metadata.name }}'), ['oldObject']],
    ['the operation', denying('{{ to_lower(request.operation) }}'), ['operation']],
    ['whether it is a dry run', denying('{{ request.dryRun }}'), ['options']],
    ['the whole request', denying('{{ request }}'), request],
    ['all of its fields', denying('{{ request.* }}'), request],
    ['a projection of it', denying('{{ request.*.metadata }}'), request],
    ['a function of it', denying("{{ lookup(request, 'oldObject') }}"), request],
    ['a list with it', denying('{{ [request][0].object.metadata }}'), request],
    ['a field named by a variable', denying('{{ request.{{ request.object.data.a }} }}'), request],
    ['a quoted field named by a variable', denying('{{ request."{{ request.object.data.a }}" }}'), request],
    ['a name that is a variable', denying('{{ to_string({{ request.object.data.a }}) }}'), request],
    ['a literal that is a variable', denying('{{ sum(`{{ request.object.data.list }}`) }}'), []],
    ['a text that is a variable', denying("{{ to_upper('{{ request.object.data.a }}') }}"), []],
    ['a variable inside', denying("{{ to_upper('{{ request.oldObject.kind }}') }}"), ['oldObject']],
    ['a variable in a message', { validate: { ...denying('a').validate, message: '{{ request.roles }}' } }, roles],
    ['a variable in a key', patterned({ data: { '{{ request.operation }}': 'x' } }), ['operation']],
    ['the status in an expression', denying('{{ request.object.status.phase }}'), ['status']],
    ['the whole object', denying('{{ to_string(request.object) }}'), ['status']],
    ['the status in a pattern', patterned({ status: { phase: 'Running' } }), ['status']],
    ['the status behind an anchor', patterned({ '=(status)': { phase: 'Running' } }), ['status']],
    ['a field named status elsewhere', patterned({ data: { status: 'x' } }), []],
    ['subjects', inMatch({ resources: { kinds: ['Secret'] }, subjects: [{ kind: 'User', name: 'a' }] }), user],
    ['cluster roles of a filter', inMatch({ resources: { kinds: ['Secret'] }, clusterRoles: ['a'] }), roles],
    ['operations of a filter', inMatch({ resources: { kinds: ['Secret'], operations: ['CREATE'] } }), ['operation']],
    [
      'labels of the namespace',
      { ...inMatch({}), match: { resources: { kinds: ['Secret'], namespaceSelector: { matchLabels: { a: 'b' } } } } },
      ['namespaceLabels'],
    ],
    ['what excludes it', { ...patterned({ data: {} }), exclude: { any: [{ clusterRoles: ['admin'] }] } }, roles],
    ['the path of a variable', withContext({ variable: { jmesPath: 'request.oldObject.data' } }), ['oldObject']],
    [
      'a path inside the value of a variable',
      withContext({ variable: { value: { request: { oldObject: 'x' } }, jmesPath: 'request.oldObject' } }),
      [],
    ],
    [
      'a ConfigMap',
      {
        context: [{ name: 'c', configMap: { name: 'a', namespace: 'b' } }],
        ...patterned({ data: { a: '{{ c.data.a }}' } }),
      },
      ['lookUps'],
    ],
    ['an API call', withContext({ apiCall: { urlPath: '/api/{{ request.operation }}' } }), ['lookUps', 'operation']],
    ['the list of a loop', looping('request.oldObject.data.list'), ['oldObject']],
    [
      'the context of a loop',
      looping('request.object.data.list', { context: [{ name: 'c', globalReference: { name: 'g' } }] }),
      ['lookUps'],
    ],
    ['the sources of a clone', generating({ clone: { name: 'a', namespace: 'b' } }), ['lookUps']],
    ['variables in data', generating({ data: { data: { a: '{{ request.userInfo.username }}' } } }), user],
    ['the user of an assertion', { validate: { assert: { '(admissionInfo.clusterRoles)': ['admin'] } } }, roles],
    ['a key of an assertion', { validate: { assert: { oldObject: { metadata: { name: 'x' } } } } }, ['oldObject']],
    ['a binding of an assertion', { validate: { assert: { object: { '(@)->o': { kind: 'x' } } } } }, ['status']],
    ['all of an assertion', { validate: { assert: { '(to_string(@))': 'x' } } }, [...request, 'namespaceLabels']],
    ['labels of an assertion', { validate: { assert: { namespaceLabels: { a: 'b' } } } }, ['namespaceLabels']],
  ])('%s', (_, rule, expected) => expect(named(compiled(rule))).toEqual([...expected].sort()));

  it('includes the labels that decide about its failure action', () => {
    const overrides = [{ action: 'Audit', namespaceSelector: { matchLabels: { a: 'b' } } }];
    const rule = patterned({ data: { a: 'b' } });
    expect(named(compiled(rule, { validationFailureActionOverrides: overrides }))).toEqual(['namespaceLabels']);
  });

  it.each([
    'request.userInfo',
    'request.oldObject',
    'serviceAccountName',
    'admissionInfo',
    '"roles": [], "namespaceSelector": {}, "configMap": {}, status',
  ])('is not what its texts say: %s', (text) => {
    const mentioning = { labels: { app: 'a' }, annotations: { note: text, [text.slice(0, 10)]: 'x' } };
    expect(
      named(
        compiled({ validate: { message: `${text} {{ to_upper('${text}') }}`, pattern: { metadata: mentioning } } }),
      ),
    ).toEqual([]);
    expect(
      named(compiled(generating({ data: { metadata: mentioning, data: { [text]: text, a: `\\{{ ${text}` } } }))),
    ).toEqual([]);
    expect(named(compiled(denying('{{ request.object.spec.serviceAccountName }}')))).toEqual([]);
  });
});

it('an exception states what it reads', () => {
  const { program, issues } = compileException({
    apiVersion: 'kyverno.io/v2',
    kind: 'PolicyException',
    metadata: { name: 'e', namespace: 'n' },
    spec: {
      background: false,
      exceptions: [{ policyName: 'p', ruleNames: ['r'] }],
      match: {
        any: [
          { resources: { kinds: ['Pod'], namespaceSelector: { matchLabels: { a: 'b' } } }, clusterRoles: ['admin'] },
        ],
      },
      conditions: { any: [{ key: '{{ request.operation }}', operator: 'Equals', value: 'CREATE' }] },
    },
  });
  expect(issues).toEqual([]);
  expect(named(program!.reads)).toEqual(['namedUser', 'namespaceLabels', 'operation', 'roles', 'user']);
  expect(program?.policies).toEqual(['p']);
});

const programOf = (policy: unknown): PolicyProgram | undefined => compilePolicy(policy).program;

/** Texts that have a meaning only where they are parsed as expressions. */
const words = fc.constantFrom(
  ...[
    'request.userInfo',
    'request.roles',
    'request.oldObject',
    'request."oldObject"',
    'serviceAccountName',
    '"targets":',
  ],
  ...['serviceAccountNamespace', 'admissionInfo', 'namespaceSelector', 'namespaceLabels', '"clusterRoles":', 'status'],
  ...['request.dryRun', 'request.operation', '"configMap":', '"apiCall":', '\\{{ request.userInfo }}'],
);

/** The same policy with words added to texts that are not expressions: values of metadata, messages, data, patterns. */
function mentioning(value: unknown, word: string, isInert = false): unknown {
  if (typeof value === 'string') return isInert && !value.includes('{{') ? `${value} ${word}` : value;
  if (Array.isArray(value)) return value.map((item) => mentioning(item, word, isInert));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      mentioning(item, word, isInert || ['annotations', 'message', 'data', 'pattern', 'anyPattern'].includes(key)),
    ]),
  );
}

describe('what rules read', () => {
  it('does not change with words in places where they mean nothing', () => {
    let compared = 0;
    fc.assert(
      fc.property(policies, words, (policy, word) => {
        const [before, after] = [programOf(policy), programOf(mentioning(policy, word))];
        if (!before || !after) return;
        compared++;
        expect(after.rules.map(({ reads }) => reads)).toEqual(before.rules.map(({ reads }) => reads));
      }),
      fuzzRuns(300),
    );
    expect(compared).toBeGreaterThan(100);
  });

  const others: readonly [Part, (request: PolicyRequest) => PolicyRequest][] = [
    [
      'user',
      (one) => ({ ...one, info: { userInfo: { username: 'u', groups: ['g'] }, roles: ['a:b'], clusterRoles: [] } }),
    ],
    ['roles', (one) => (one.info ? { ...one, info: { ...one.info, roles: ['a:b'], clusterRoles: ['other'] } } : one)],
    ['status', (one) => (one.object ? { ...one, object: { ...one.object, status: { phase: 'Other' } } } : one)],
    ['namespaceLabels', (one) => ({ ...one, namespaceLabels: { other: 'labels' } })],
  ];

  it.each(others)('is all that their results depend on: %s', (part, change) => {
    let compared = 0;
    fc.assert(
      fc.property(policies, requests, (policy, one) => {
        const program = programOf(policy);
        if (!program || program.rules.some(({ reads }) => reads[part])) return;
        compared++;
        // A patched object contains the status of the object.
        expect(evaluateAll([program], change(one)).rules.map(resultOf)).toEqual(
          evaluateAll([program], one).rules.map(resultOf),
        );
      }),
      fuzzRuns(200),
    );
    expect(compared).toBeGreaterThan(30);
  });
});

const resultOf = ({ rule, status, message }: { rule: string; status: string; message: string }) => [
  rule,
  status,
  message,
];
