import { describe, expect, it } from 'vitest';
import { compileException, compilePolicy, type PolicyRequest } from '../index.ts';
import { evaluateAll } from '../testing/evaluate-all.ts';

const match = { any: [{ resources: { kinds: ['ConfigMap'] } }] };
const compiled = (rule: object, spec: object = {}) => {
  const { program, issues } = compilePolicy({
    apiVersion: 'kyverno.io/v1',
    kind: 'ClusterPolicy',
    metadata: { name: 'p' },
    spec: { background: false, ...spec, rules: [{ name: 'r', match, ...rule }] },
  });
  if (!program) throw new Error(JSON.stringify(issues));
  return program;
};
const request = (over: Partial<PolicyRequest> = {}): PolicyRequest => ({
  operation: 'CREATE',
  kind: { group: '', version: 'v1', kind: 'ConfigMap' },
  subresource: '',
  object: {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'x', namespace: 'default' },
    data: { a: '1' },
  } as never,
  namespaceLabels: {},
  uid: 'u',
  now: 0,
  ...over,
});
const messageOf = (rule: object) => evaluateAll([compiled(rule)], request()).rules[0]?.message;

describe('the message of a failed rule', () => {
  const pattern = { data: { a: '2' } };
  it.each<[string, object, string]>([
    ['names the place', { validate: { pattern } }, 'validation error: rule r failed at path /data/a/'],
    [
      'says what its author wrote',
      { validate: { message: 'no', pattern } },
      'validation error: no. rule r failed at path /data/a/',
    ],
    [
      'does not end in two stops',
      { validate: { message: 'no.', pattern } },
      'validation error: no. rule r failed at path /data/a/',
    ],
    [
      'holds variables',
      { validate: { message: '{{ request.object.metadata.name }} is {{ request.object.data.a }}', pattern } },
      'validation error: x is 1. rule r failed at path /data/a/',
    ],
    [
      'says that a variable is missing',
      { validate: { message: '{{ request.object.nowhere }}', pattern } },
      "validation error: variables substitution error in rule r execution error: resource value '1' does not match '2' at path /data/a/",
    ],
    [
      'says that it is no text',
      { validate: { message: '{{ request.object.data }}', deny: {} } },
      "the produced message didn't resolve to a string, check your policy definition.",
    ],
    [
      'lists the alternatives',
      { validate: { message: 'no', anyPattern: [pattern, { data: { b: '1' } }] } },
      'validation error: no. rule r[0] failed at path /data/a/ rule r[1] failed at path /data/b/',
    ],
    ['of a denial is its own', { validate: { message: 'denied {{ request.object.data.a }}', deny: {} } }, 'denied 1'],
    ['of a denial without words', { validate: { deny: {} } }, 'validation error: rule r failed'],
    [
      'brings the words of conditions',
      {
        validate: {
          message: 'no',
          deny: { conditions: { any: [{ key: 'a', operator: 'Equals', value: 'a', message: 'since a' }] } },
        },
      },
      'no; since a',
    ],
    [
      'in a loop says so',
      { validate: { message: 'no', foreach: [{ list: 'request.object.data', pattern: { a: '2' } }] } },
      'validation failure: validation error: no. rule r failed at path /a/',
    ],
  ])('%s', (_, rule, message) => expect(messageOf(rule)).toBe(message));
});

describe('the action of a rule', () => {
  const validate = { message: 'm', pattern: { data: { a: '1' } } };
  const actionOf = (rule: object, spec: object, namespace = 'default', labels = {}) =>
    compiled({ validate: { ...validate, ...rule } }, spec).rules[0]!.failureAction(namespace, labels);

  it('is the rule’s, else the policy’s, else Audit', () => {
    expect(actionOf({ failureAction: 'Enforce' }, { validationFailureAction: 'Audit' })).toBe('Enforce');
    expect(actionOf({}, { validationFailureAction: 'enforce' })).toBe('Enforce');
    expect(actionOf({}, {})).toBe('Audit');
  });

  it('is overridden by namespace and by its labels', () => {
    const byName = { failureActionOverrides: [{ action: 'Enforce', namespaces: ['prod-*'] }] };
    expect(actionOf(byName, {}, 'prod-1')).toBe('Enforce');
    expect(actionOf(byName, {}, 'dev')).toBe('Audit');
    const byLabel = {
      validationFailureActionOverrides: [{ action: 'Enforce', namespaceSelector: { matchLabels: { stage: 'prod' } } }],
    };
    expect(actionOf({}, byLabel, 'x', { stage: 'prod' })).toBe('Enforce');
    expect(actionOf({}, byLabel, 'x', { stage: 'dev' })).toBe('Audit');
  });
});

describe('an exception', () => {
  const exception = (spec: object) => ({
    apiVersion: 'kyverno.io/v2',
    kind: 'PolicyException',
    metadata: { name: 'e', namespace: 'n' },
    spec,
  });
  const named = { exceptions: [{ policyName: 'p', ruleNames: ['r'] }], match };
  const statusWith = (spec: object) =>
    evaluateAll([compiled({ validate: { message: 'm', deny: {} } })], request(), {
      evaluation: { exceptions: [compileException(exception(spec)).program!] },
    }).rules[0];

  it('causes a skip that names it', () => {
    expect(statusWith(named)).toMatchObject({
      status: 'skip',
      message: 'rule is skipped due to policy exceptions n/e',
    });
  });

  it('for another rule does not apply', () => {
    expect(statusWith({ ...named, exceptions: [{ policyName: 'p', ruleNames: ['other'] }] })).toMatchObject({
      status: 'fail',
    });
  });

  it('whose conditions cannot be resolved does not apply', () => {
    const conditions = { all: [{ key: '{{ request.object.nowhere }}', operator: 'Equals', value: 'x' }] };
    expect(statusWith({ ...named, conditions })).toMatchObject({ status: 'fail' });
  });

  it.each<[string, unknown, string]>([
    ['is nothing', null, ''],
    ['names no policy', exception({ match }), 'spec.exceptions'],
    ['matches nothing', exception({ exceptions: named.exceptions }), 'spec.match'],
    ['has an unknown field', exception({ ...named, rules: [] }), 'spec.rules'],
    [
      'has an unknown operator',
      exception({ ...named, conditions: { any: [{ key: 'a', operator: 'Is', value: 'b' }] } }),
      'spec.conditions.any[0].operator',
    ],
    [
      'names rules that are no texts',
      exception({ ...named, exceptions: [{ policyName: 'p', ruleNames: [5] }] }),
      'spec.exceptions[0].ruleNames[0]',
    ],
    [
      'is about users and meant for background scans too',
      exception({ ...named, match: { any: [{ ...match.any[0], subjects: [{ kind: 'User', name: 'a' }] }] } }),
      'spec.match.any[0].subjects',
    ],
    [
      'excludes a control of containers without images',
      exception({ ...named, podSecurity: [{ controlName: 'Capabilities' }] }),
      'spec.podSecurity[0].controlName',
    ],
    [
      'refers to nothing',
      exception({ ...named, conditions: { any: [{ key: '$(./../x)', operator: 'Equals', value: 'b' }] } }),
      'spec',
    ],
  ])('that %s is refused with its path', (_, object, path) => {
    const { program, issues } = compileException(object);
    expect(program).toBeUndefined();
    expect(issues).toContainEqual(expect.objectContaining({ code: 'policy-exception-invalid', path }));
  });
});
