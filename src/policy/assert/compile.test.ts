import { describe, expect, it } from 'vitest';
import { bind, missing } from '../../jmespath/index.ts';
import { AssertionError, compileAssertion, type Finding } from './index.ts';

const environment = { bindings: bind('limit', 3, bind('allowed', ['a', 'b'], { get: () => missing })) };

function hold(tree: unknown, value: unknown) {
  const violations: string[] = [];
  const seen: Finding[] = [];
  let units = 0;
  compileAssertion(tree)(value, {
    environment,
    spend: (spent) => {
      units += spent;
    },
    violation: (describe) => {
      const { path, message } = describe();
      violations.push(`${path}: ${message}`);
    },
    trace: (finding) => seen.push(finding),
  });
  expect(units).toBeGreaterThan(0);
  return { violations, seen };
}

const web = {
  metadata: { name: 'web', labels: { app: 'web', '(odd)': 'x' }, annotations: null },
  spec: {
    replicas: 3,
    share: 0.5,
    large: 1_500_000,
    hostNetwork: false,
    containers: [
      { name: 'a', image: 'nginx:1' },
      { name: 'b', image: 'redis:latest' },
    ],
  },
};

describe('a tree holds when', () => {
  it.each<[string, unknown]>([
    ['scalars are the same', { metadata: { name: 'web' }, spec: { replicas: 3, hostNetwork: false, share: 0.5 } }],
    ['a field is null and null is expected', { metadata: { annotations: null } }],
    ['there is something where anything is asked for', { metadata: { labels: {} } }],
    ['a list has the same elements', { spec: { containers: [{ name: 'a' }, { image: 'redis:latest' }] } }],
    ['an expression as a key finds what is expected', { spec: { '(length(containers))': 2 } }],
    ['a missing field is null to an expression', { '(spec.nowhere.deep)': null }],
    ['an expression as a value gives what is found', { spec: { replicas: '($limit)', hostNetwork: '(@)' } }],
    ['a value is a list that an expression gives', { spec: { '(containers[].name)': '($allowed)' } }],
    ['a map has the keys that an expression gives', { metadata: '(`{"name": "web"}`)' }],
    ['every element of a list does', { spec: { '~.containers': { '(length(name))': 1 } } }],
    ['every value of a map does', { metadata: { '~.labels': { '(type(@))': 'string' } } }],
    ['every element that an expression finds does', { '~.(spec.containers[?name == `"b"`])': { name: 'b' } }],
    ['the index of an element is used', { spec: { '~i.containers': { name: '(at($allowed, $i))' } } }],
    ['the key of a value is used', { metadata: { '~key.labels': { "(@ == 'web' || $key == '(odd)')": true } } }],
    ['a name is used below', { 'spec->s': { '(length($s.containers))': 2 } }],
    ['a name is used beside, in whatever order', { '(metadata.name)->n': 'web', '(length($n))': 3 }],
    ['every element has a name of its own', { spec: { '~.containers': { 'name->n': '($n)' } } }],
    ['an inner name hides an outer one', { 'metadata->x': { 'name->x': { "($x == 'web')": true } } }],
    ['a key in brackets is protected', { metadata: { labels: { '\\(odd)\\': 'x' } } }],
    ['an expression says its language', { spec: { '(jp:replicas)': 3 } }],
    ['numbers differ only in how they are written', { spec: { '(replicas == `3.0`)': true, '(replicas + `0`)': 3 } }],
    ['a let binds what it needs', { spec: { "(let $c = containers in $c[?name == 'a'].image)": ['nginx:1'] } }],
  ])('%s', (_, tree) => expect(hold(tree, web).violations).toEqual([]));
});

describe('a violation says where and what', () => {
  it.each<[unknown, string[]]>([
    [{ metadata: { name: 'db' } }, ['metadata.name: Invalid value: "web": Expected value: "db"']],
    [{ metadata: { name: null } }, ['metadata.name: Invalid value: "web": Expected value: <nil>']],
    [{ metadata: { annotations: {} } }, ['metadata.annotations: Invalid value: null: invalid value, must not be null']],
    [{ metadata: { annotations: ['a'] } }, ['metadata.annotations: Invalid value: null: value is null']],
    [{ status: {} }, ['status: Required value: field not found in the input object']],
    [
      { metadata: { annotations: { a: 1 } } },
      ['metadata.annotations.a: Required value: field not found in the input object'],
    ],
    [{ spec: { replicas: 1 } }, ['spec.replicas: Invalid value: 3: Expected value: 1']],
    [{ spec: { large: 2_000_000 } }, ['spec.large: Invalid value: 1500000: Expected value: 2e+06']],
    [{ spec: { share: 0.00001 } }, ['spec.share: Invalid value: 0.5: Expected value: 1e-05']],
    [{ spec: { hostNetwork: true } }, ['spec.hostNetwork: Invalid value: false: Expected value: true']],
    [
      { spec: { '(replicas > $limit)': true } },
      ['spec.(replicas > $limit): Invalid value: false: Expected value: true'],
    ],
    [
      { spec: { containers: [] } },
      [
        'spec.containers: Invalid value: [{"image":"nginx:1","name":"a"},{"image":"redis:latest","name":"b"}]: ' +
          "lengths of slices don't match",
      ],
    ],
    [
      { spec: { '(containers[].name)': '(`["a", "<"]`)' } },
      ['spec.(containers[].name): Invalid value: ["a","b"]: Expected value: []interface {}{"a", "<"}'],
    ],
    [
      { spec: { '~.containers': { "(ends_with(image, ':latest'))": false } } },
      ["spec.~.containers[1].(ends_with(image, ':latest')): Invalid value: true: Expected value: false"],
    ],
    [
      { metadata: { '~.labels': 'web' }, spec: { replicas: 1 } },
      [
        'metadata.~.labels[(odd)]: Invalid value: "x": Expected value: "web"',
        'spec.replicas: Invalid value: 3: Expected value: 1',
      ],
    ],
  ])('%j', (tree, violations) => expect(hold(tree, web).violations).toEqual(violations));
});

describe('a tree cannot be held against a value when', () => {
  it.each<[string, unknown, string]>([
    [
      'kinds differ',
      { metadata: { name: true } },
      'metadata.name: Internal error: types are not comparable, bool - string',
    ],
    ['a text meets a map', { metadata: 'web' }, 'metadata: Internal error: types are not comparable, string - map'],
    ['a list meets a text', { metadata: { name: ['web'] } }, 'metadata.name: Invalid value: "web": expected a slice'],
    [
      'a list is given for a text',
      { metadata: { name: '($allowed)' } },
      'metadata.name: Internal error: invalid actual value, must be a slice, found string',
    ],
    [
      'a map is given for a text',
      { metadata: { name: '(`{}`)' } },
      'metadata.name: Internal error: invalid actual value, must be a map, found string',
    ],
    [
      'a text has fields',
      { metadata: { name: { a: 1 } } },
      'metadata.name.a: Internal error: projection not recognized',
    ],
    [
      'there is nothing to visit',
      { '~.(spec.nowhere)': {} },
      '~.(spec.nowhere): Invalid value: null: expected a slice or a map',
    ],
    ['a variable is not defined', { '($nobody)': 1 }, '($nobody): Internal error: variable not defined: $nobody'],
    [
      'a function refuses',
      { '(length(spec.replicas))': 1 },
      "(length(spec.replicas)): Internal error: JMESPath function 'length': argument #1 is a number, " +
        'not of type string or array or object',
    ],
  ])('%s', (_, tree, message) => {
    expect(() => hold(tree, web)).toThrow(new AssertionError(message));
  });
});

it('tells of every place it looked at, what holds included', () => {
  const { seen } = hold({ metadata: { name: 'web', labels: {} }, spec: { replicas: 1, nowhere: 1 } }, web);
  expect(seen.map(({ path, holds, expected, found }) => [path, holds, expected, found])).toEqual([
    ['metadata.labels', true, {}, web.metadata.labels],
    ['metadata.name', true, 'web', 'web'],
    ['spec.nowhere', false, undefined, undefined],
    ['spec.replicas', false, 1, 3],
  ]);
});

it('cuts values that nobody would read', () => {
  const [violation = ''] = hold({ list: [] }, { list: Array.from({ length: 10_000 }, (_, i) => i) }).violations;
  expect(violation.length).toBeLessThan(1_200);
  expect(violation).toMatch(/^list: Invalid value: \[0,1,2,.*…: lengths of slices don't match$/);
});

it('cuts text that nobody would read', () => {
  const [violation = ''] = hold({ text: 'x' }, { text: '"'.repeat(1_000_000) }).violations;
  expect(violation.length).toBeLessThan(1_100);
});

it('quotes text as Go does', () => {
  const [violation] = hold({ text: 'x' }, { text: 'a"\\\n\u0007\u0001\u007f\u2028é' }).violations;
  expect(violation).toBe(String.raw`text: Invalid value: "a\"\\\n\a\x01\x7f\u2028é": Expected value: "x"`);
});
