import { beforeAll, describe, expect, it } from 'vitest';
import { parseYaml } from '../base/index.ts';
import { compilePolicy, type PolicyRequest } from './index.ts';
import { evaluateAll } from './testing/evaluate-all.ts';

const policyOf = (rules: readonly unknown[], spec: object = {}) => ({
  apiVersion: 'kyverno.io/v1',
  kind: 'ClusterPolicy',
  metadata: { name: 'hostile' },
  spec: { background: false, ...spec, rules },
});
const match = { any: [{ resources: { kinds: ['ConfigMap'] } }] };
const ruleOf = (body: object, name = 'r') => ({ name, match, ...body });
const denyOf = (key: unknown, value: unknown = 'x', operator = 'Equals') => ({
  validate: { message: 'm', deny: { conditions: { any: [{ key, operator, value }] } } },
});
const requestOf = (data: unknown): PolicyRequest => ({
  operation: 'CREATE',
  kind: { group: '', version: 'v1', kind: 'ConfigMap' },
  subresource: '',
  object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: 'default' }, data } as never,
  namespaceLabels: {},
  uid: 'u',
  now: 0,
});

function timed<T>(work: () => T): { readonly result: T; readonly ms: number } {
  const startedMs = performance.now();
  const result = work();
  return { result, ms: performance.now() - startedMs };
}

/** The time of ordinary work on this machine: thirty rules, compiled and run a hundred times. */
let baselineMs = 0;
beforeAll(() => {
  const rules = Array.from({ length: 30 }, (_, i) => ruleOf(denyOf('{{ request.object.data.a }}', `v${i}`), `r${i}`));
  const work = () => {
    for (let i = 0; i < 100; i++) evaluateAll([compilePolicy(policyOf(rules)).program!], requestOf({ a: 'b' }));
  };
  work();
  baselineMs = timed(work).ms;
});

/** Exponential work takes far longer than this; a busy machine does not. */
const timeLimitMs = () => 5_000 + 100 * baselineMs;

function issuesOf(policy: unknown) {
  const { result, ms } = timed(() => compilePolicy(policy));
  expect(ms).toBeLessThan(timeLimitMs());
  expect(result.program).toBeUndefined();
  for (const { message } of result.issues) expect(message.length).toBeLessThan(1_000);
  return result.issues.map(({ code, path }) => ({ code, path }));
}

function outcomeOf(rule: object, data: unknown) {
  const { program, issues } = compilePolicy(policyOf([rule]));
  expect(issues.filter(({ severity }) => severity === 'error')).toEqual([]);
  const { result, ms } = timed(() => evaluateAll([program!], requestOf(data)));
  expect(ms).toBeLessThan(timeLimitMs());
  const [first] = result.rules;
  return { status: first?.status, message: first?.message ?? '' };
}

describe('a policy that is refused', () => {
  it('has ten thousand rules', () => {
    const rules = Array.from({ length: 10_000 }, (_, i) => ruleOf(denyOf('a'), `r${i}`));
    expect(issuesOf(policyOf(rules))).toEqual([{ code: 'policy-limit', path: '' }]);
    expect(issuesOf(policyOf(rules.slice(0, 1_001)))).toEqual([{ code: 'policy-limit', path: 'spec.rules' }]);
  });

  it('has a pattern of a megabyte', () => {
    const pattern = { data: Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`key-${i}`, 'some text'])) };
    expect(issuesOf(policyOf([ruleOf({ validate: { message: 'm', pattern } })]))).toEqual([
      { code: 'policy-limit', path: '' },
    ]);
  });

  it('is nested ten thousand levels deep', () => {
    let pattern: unknown = 'x';
    for (let i = 0; i < 10_000; i++) pattern = i % 2 ? { a: pattern } : [pattern];
    const [issue] = issuesOf(policyOf([ruleOf({ validate: { message: 'm', pattern } })]));
    expect(issue?.code).toBe('policy-limit');
    expect(issue?.path).toMatch(/^spec\.rules\[0\]\.validate\.pattern/);
    expect(issue!.path.length).toBeLessThan(600);
  });

  it.each([
    [
      'a pattern',
      ruleOf({ validate: { message: 'm', pattern: { data: { a: '*a'.repeat(50) } } } }),
      'spec.rules[0].validate.pattern.data.a',
    ],
    [
      'a key of a pattern',
      ruleOf({ validate: { message: 'm', pattern: { data: { ['*a'.repeat(50)]: 'x' } } } }),
      undefined,
    ],
    [
      'a name',
      { ...ruleOf(denyOf('a')), match: { any: [{ resources: { kinds: ['Pod'], names: ['*a'.repeat(50)] } }] } },
      undefined,
    ],
    [
      'a kind',
      { ...ruleOf(denyOf('a')), match: { any: [{ resources: { kinds: ['*a'.repeat(50)] } }] } },
      'spec.rules[0].match.any[0].resources.kinds[0]',
    ],
  ])('has fifty stars in %s', (_, rule, path) => {
    const [issue] = issuesOf(policyOf([rule]));
    expect(issue?.code).toBe('policy-limit');
    if (path) expect(issue?.path).toBe(path);
  });

  it('has the key __proto__', () => {
    const policy = JSON.parse(
      JSON.stringify(
        policyOf([ruleOf({ validate: { message: 'm', pattern: { data: { PROTO: { polluted: '1' } } } } })]),
      ).replace('PROTO', '__proto__'),
    );
    expect(compilePolicy(policy).program).toBeDefined();
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('defines a variable by itself', () => {
    const context = [{ name: 'a', variable: { value: '{{ a }}' } }];
    const [issue] = issuesOf(policyOf([ruleOf({ context, ...denyOf('{{ a }}') })]));
    expect(issue).toMatchObject({ code: 'policy-variable-cycle', path: 'spec.rules[0].context[0]' });
  });

  it('nests variables too deeply', () => {
    const issues = issuesOf(
      policyOf([ruleOf(denyOf(`${'{{ request.object.data.'.repeat(200)}a${' }}'.repeat(200)}`))]),
    );
    expect(issues).toContainEqual({ code: 'policy-limit', path: 'spec.rules[0].validate.deny.conditions.any[0].key' });
  });

  it('has an expression of a hundred thousand brackets', () => {
    const issues = issuesOf(policyOf([ruleOf(denyOf(`{{ ${'('.repeat(100_000)} }}`))]));
    expect(issues[0]).toEqual({ code: 'policy-expression', path: 'spec.rules[0].validate.deny.conditions.any[0].key' });
  });

  it('has YAML aliases that expand exponentially', () => {
    const bomb = ['a: &a [x,x,x,x,x,x,x,x,x,x]'];
    for (const [name, of] of ['ba', 'cb', 'dc', 'ed', 'fe', 'gf', 'hg', 'ih'].map((pair) => [...pair]))
      bomb.push(`${name}: &${name} [${Array(10).fill(`*${of}`).join(',')}]`);
    const { ms } = timed(() => expect(() => parseYaml(bomb.join('\n'))).toThrow(/alias/));
    expect(ms).toBeLessThan(timeLimitMs());
  });
});

describe('a hostile object', () => {
  it('cannot make a regular expression backtrack', () => {
    const text = `${'a'.repeat(50_000)}!`;
    expect(
      outcomeOf(ruleOf(denyOf("{{ regex_match('^(a+)+$', request.object.data.a) }}", true)), { a: text }).status,
    ).toBe('pass');
  });

  it('cannot cause a regular expression that uses much memory', () => {
    const rule = ruleOf(denyOf("{{ regex_match(request.object.data.a, 'a') }}", true));
    expect(outcomeOf(rule, { a: '((a{1,500}){1,500}){1,500}' }).status).toBe('error');
    expect(outcomeOf(rule, { a: '(a|b|ab)*'.repeat(2_000) }).status).toBe('error');
  });

  it('cannot make wildcards backtrack', () => {
    const rule = ruleOf(denyOf('{{ request.object.data.text }}', '{{ request.object.data.pattern }}'));
    const data = { text: `${'a'.repeat(100_000)}b`, pattern: `${'*a'.repeat(50)}c` };
    expect(outcomeOf(rule, data).status).toBe('pass');
    expect(outcomeOf(ruleOf(denyOf([data.text], '{{ [request.object.data.pattern] }}', 'AnyIn')), data).status).toBe(
      'pass',
    );
  });

  it('gets an error for wildcards that are too long', () => {
    const rule = ruleOf(denyOf('{{ request.object.data.text }}', '{{ request.object.data.pattern }}'));
    const data = { text: 'a'.repeat(400_000), pattern: '*a'.repeat(200_000) };
    expect(outcomeOf(rule, data)).toMatchObject({ status: 'error', message: expect.stringMatching(/wildcard/) });
  });

  it('cannot resolve variables that are defined by each other', () => {
    const context = [
      { name: 'a', variable: { value: '{{ b }}' } },
      { name: 'b', variable: { value: '{{ a }}' } },
    ];
    expect(outcomeOf(ruleOf({ context, ...denyOf('{{ b }}') }), {}).status).toBe('error');
  });

  it('cannot add variables that expand to themselves', () => {
    const rule = ruleOf(denyOf('-{{ request.object.data.a }}-'));
    expect(outcomeOf(rule, { a: '{{ request.object.data.a }}' })).toMatchObject({
      status: 'error',
      message: expect.stringMatching(/keep bringing in variables/),
    });
    const doubles = '{{ request.object.data.a }}{{ request.object.data.a }}';
    expect(outcomeOf(rule, { a: `${doubles} ${'x'.repeat(1000)}` })).toMatchObject({
      status: 'error',
      message: expect.stringMatching(/larger than|keep bringing/),
    });
  });

  const numbers = Array.from({ length: 10_000 }, (_, i) => i);
  const numbersTwice = { a: numbers, b: numbers };

  it('cannot make nested loops run for minutes', () => {
    const inner = {
      list: 'request.object.data.b',
      deny: { conditions: { any: [{ key: 'x', operator: 'Equals', value: 'y' }] } },
    };
    const loops = ruleOf({
      validate: { message: 'm', foreach: [{ list: 'request.object.data.a', foreach: [inner] }] },
    });
    expect(outcomeOf(loops, numbersTwice)).toMatchObject({
      status: 'error',
      message: expect.stringMatching(/too much work.*\(more than \d+ units of work\)$/),
    });
  });

  it('cannot make an assertion tree run without limit', () => {
    const assert = { object: { 'data->d': { '~.a': { '~.($d.b)': { '(@)': '(@)' } } } } };
    expect(outcomeOf(ruleOf({ validate: { assert } }), numbersTwice)).toMatchObject({
      status: 'error',
      message: expect.stringMatching(/too much work/),
    });
  });

  it('cannot make the bindings of an assertion tree double', () => {
    let assert: object = { '(length(to_string($v)))': 1 };
    for (let i = 0; i < 60; i++) assert = { '([$v, $v])->v': assert };
    expect(outcomeOf(ruleOf({ validate: { assert: { 'object->v': assert } } }), numbersTwice)).toMatchObject({
      status: 'error',
      message: expect.stringMatching(/too much work/),
    });
  });

  it('cannot make a long text be quoted without limit', () => {
    const assert = { object: { 'data->d': { '~.a': { '($d.text)': 'x' } } } };
    const { status, message } = outcomeOf(ruleOf({ validate: { assert } }), {
      a: numbers,
      text: '"'.repeat(1_000_000),
    });
    expect(status).toBe('fail');
    expect(message).toMatch(/; and 9980 more$/);
  });

  it('cannot fill a message with its violations', () => {
    const assert = { object: { data: { '~.a': 'x', '~.b': -1 } } };
    const data = { a: numbers.map((n) => `${n}`.repeat(100)), b: [] };
    const { status, message } = outcomeOf(ruleOf({ validate: { assert } }), data);
    expect(status).toBe('fail');
    expect(message.length).toBeLessThan(25_000);
    expect(message).toMatch(/; and 9980 more$/);
  });

  it('may still have a list of ten thousand elements', () => {
    const loop = {
      list: 'request.object.data.a',
      deny: { conditions: { any: [{ key: '{{ element }}', operator: 'LessThan', value: 0 }] } },
    };
    expect(outcomeOf(ruleOf({ validate: { message: 'm', foreach: [loop] } }), numbersTwice).status).toBe('pass');
  });

  it('cannot make every element search the whole object', () => {
    const loop = {
      list: 'request.object.data.a',
      deny: {
        conditions: {
          any: [{ key: '{{ request.object.data.b[?@ == `-1`] | length(@) }}', operator: 'GreaterThan', value: 0 }],
        },
      },
    };
    expect(outcomeOf(ruleOf({ validate: { message: 'm', foreach: [loop] } }), numbersTwice).status).toBe('error');
  });

  it('cannot make every element rewrite the whole object', () => {
    const json = ruleOf({
      mutate: {
        foreach: [
          {
            list: 'request.object.data.a',
            patchesJson6902: '[{"op":"add","path":"/data/x","value":"{{ elementIndex }}"}]',
          },
        ],
      },
    });
    expect(outcomeOf(json, numbersTwice)).toMatchObject({
      status: 'error',
      message: expect.stringMatching(/too much work/),
    });
    const merge = ruleOf({
      mutate: {
        foreach: [{ list: 'request.object.data.a', patchStrategicMerge: { data: { x: '{{ elementIndex }}' } } }],
      },
    });
    expect(outcomeOf(merge, numbersTwice).status).toBe('error');
  });

  it('cannot make a membership test compare all pairs', () => {
    const texts = numbers.map((n) => `value-${n}`);
    const rule = ruleOf(denyOf('{{ request.object.data.a }}', '{{ request.object.data.b }}', 'AnyIn'));
    expect(outcomeOf(rule, { a: texts, b: texts.map((text) => `${text}*x`) })).toMatchObject({ status: 'error' });
  });

  it('cannot make a pattern search its lists without limit', () => {
    const pattern = {
      data: { '^(a)': Array.from({ length: 5_000 }, (_, i) => ({ n: `missing-${i}` })).fill({ n: '99999' }, 0, 1) },
    };
    const list = Array.from({ length: 20_000 }, (_, n) => ({ n: String(n) }));
    expect(['fail', 'error']).toContain(outcomeOf(ruleOf({ validate: { message: 'm', pattern } }), { a: list }).status);
  });

  it('may have the key __proto__, which changes no prototype', () => {
    const data = JSON.parse('{"__proto__": {"polluted": "yes"}, "a": "b"}');
    const patch = ruleOf({ mutate: { patchStrategicMerge: { data: { '+(polluted)': 'no' } } } });
    expect(outcomeOf(patch, data).status).toBe('pass');
    const pointer = ruleOf({
      mutate: { patchesJson6902: '[{"op":"add","path":"/__proto__/polluted","value":"yes"}]' },
    });
    expect(outcomeOf(pointer, {}).status).toBe('pass');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});
