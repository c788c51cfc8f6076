import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PolicyError } from '../errors.ts';
import { compilePattern, type PatternOutcome } from './program.ts';

const match = (pattern: unknown, resource: unknown) => compilePattern(pattern).match(resource);
/** `pass`, `skip`, `fail /path/` or `error`. */
const short = (outcome: PatternOutcome) => (outcome.kind === 'fail' ? `fail ${outcome.path}` : outcome.kind);

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', labels: { app: 'web', 'team.example/name': 'blue' }, annotations: { 'a/b': 'c' } },
  spec: {
    hostNetwork: false,
    containers: [
      { name: 'a', image: 'nginx:1.25', resources: { limits: { memory: '1Gi' } }, ports: [{ containerPort: 80 }] },
      { name: 'b', image: 'redis:latest' },
    ],
    volumes: [
      { name: 'v', emptyDir: {} },
      { name: 'h', hostPath: { path: '/var/run/docker.sock' } },
    ],
    args: ['-a', '-b'],
    nested: [['x'], ['y']],
  },
};

const rows: readonly (readonly [title: string, pattern: unknown, expected: string])[] = [
  ['a plain field', { kind: 'Pod' }, 'pass'],
  ['a field that differs', { kind: 'Service' }, 'fail /kind/'],
  ['a field that is not there', { spec: { foo: 'x' } }, 'fail /spec/foo/'],
  ['a star for a field that is there', { spec: { containers: '*' } }, 'pass'],
  ['a star for a field that is not there blames the parent', { spec: { foo: '*' } }, 'fail /spec/'],
  ['null for an absent field', { spec: { foo: null } }, 'pass'],
  ['null for a list', { spec: { containers: null } }, 'fail /spec/containers/'],
  ['a map where there is a list', { spec: { containers: { a: 1 } } }, 'fail /spec/containers/'],
  ['a list where there is a map', { spec: [{ a: 1 }] }, 'fail /spec/'],
  ['one element for all of a list', { spec: { containers: [{ name: '?' }] } }, 'pass'],
  ['the element that fails', { spec: { containers: [{ image: '!*:latest' }] } }, 'fail /spec/containers/1/image/'],
  ['a scalar for all of a list', { spec: { args: '-*' } }, 'pass'],
  ['a list of one scalar for all of a list', { spec: { args: ['-a'] } }, 'fail /spec/args/'],
  ['an empty list', { spec: { args: [] } }, 'fail /spec/args/'],
  ['lists of lists by position', { spec: { nested: [['x'], ['y']] } }, 'pass'],
  ['a longer list of lists', { spec: { nested: [['x'], ['y'], ['z']] } }, 'error'],
  ['condition met', { spec: { containers: [{ '(image)': 'nginx:*', name: 'a' }] } }, 'pass'],
  [
    'condition met and the rest fails',
    { spec: { containers: [{ '(image)': 'redis:*', name: 'a' }] } },
    'fail /spec/containers/1/name/',
  ],
  ['condition met by no element', { spec: { containers: [{ '(image)': 'mysql:*', name: 'x' }] } }, 'skip'],
  ['condition on a key that is nowhere', { '(foo)': 'x', kind: 'Pod' }, 'skip'],
  [
    'condition on a sibling map',
    { '(metadata)': { name: 'web' }, spec: { hostNetwork: true } },
    'fail /spec/hostNetwork/',
  ],
  ['condition unmet further down', { spec: { '(hostNetwork)': true }, kind: 'Service' }, 'skip'],
  [
    'an anchored key found nowhere makes a mismatch an error',
    { spec: { '=(volumes)': [{ '^(foo)': [{ a: '1' }] }] }, kind: 'X' },
    'error',
  ],
  ['global condition met by no element', { spec: { containers: [{ '<(image)': 'm*' }] }, kind: 'Service' }, 'skip'],
  [
    'global condition met by one element',
    { spec: { containers: [{ '<(image)': 'nginx:*' }] }, kind: 'Service' },
    'fail /kind/',
  ],
  ['global condition on an absent key', { '<(foo)': 'x', kind: 'Service' }, 'fail /kind/'],
  ['equality on an absent key', { spec: { '=(foo)': 'x' } }, 'pass'],
  ['equality on a key that differs', { spec: { '=(hostNetwork)': true } }, 'fail /spec/hostNetwork/'],
  ['negation of an absent key', { spec: { 'X(foo)': 'null' } }, 'pass'],
  ['negation of a present key', { spec: { volumes: [{ 'X(hostPath)': 'null' }] } }, 'fail /spec/volumes/1/hostPath/'],
  ['existence met', { spec: { '^(containers)': [{ name: 'b' }] } }, 'pass'],
  [
    'existence of two, one of them missing',
    { spec: { '^(containers)': [{ name: 'b' }, { name: 'c' }] } },
    'fail /spec/containers/',
  ],
  ['existence on a map', { '^(spec)': [{ name: 'b' }] }, 'fail /spec/'],
  ['existence with a pattern that is no list', { spec: { '^(containers)': { name: 'b' } } }, 'fail /spec/containers/'],
  ['existence on an absent key', { spec: { '^(foo)': [{ name: 'b' }] } }, 'pass'],
  ['an add anchor is a field of that very name', { spec: { '+(hostNetwork)': false } }, 'fail /spec/+(hostNetwork)/'],
  ['a wildcard label that fits', { metadata: { labels: { 'team.example/*': 'blue' } } }, 'pass'],
  [
    'a wildcard label with another value',
    { metadata: { labels: { 'team.example/*': 'red' } } },
    'fail /metadata/labels/team.example/name/',
  ],
  ['a wildcard label that no label fits', { metadata: { labels: { 'foo/*': '?*' } } }, 'fail /metadata/labels/foo/*/'],
  [
    'a wildcard annotation under an anchor',
    { metadata: { annotations: { '=(a/*)': 'd' } } },
    'fail /metadata/annotations/a/b/',
  ],
  ['a negated wildcard label', { metadata: { '=(labels)': { 'X(ap?)': 'null' } } }, 'fail /metadata/labels/app/'],
  ['labels whose pattern is no text are ignored', { metadata: { labels: { foo: true } } }, 'pass'],
  ['an inherited name is no field', { spec: { '=(constructor)': 'x', 'X(toString)': 'null' } }, 'pass'],
  ['a scalar at the root', 'x', 'fail /'],
];

describe('a pattern', () => {
  it.each(rows)('%s', (_, pattern, expected) => {
    expect(short(match(pattern, pod))).toBe(expected);
  });

  it('is compiled once per object', () => {
    const pattern = { a: '1' };
    expect(compilePattern(pattern)).toBe(compilePattern(pattern));
  });

  it('applies to the labels of each object anew', () => {
    const program = compilePattern({ metadata: { labels: { 'a*': '1' } } });
    expect(program.match({ metadata: { labels: { ab: '1' } } }).kind).toBe('pass');
    expect(program.match({ metadata: { labels: { ac: '1' } } }).kind).toBe('pass');
    expect(program.match({ metadata: { labels: { ac: '2' } } }).kind).toBe('fail');
  });

  it('passes an empty list, since no element is wrong', () => {
    expect(match({ list: [{ '(a)': 'x', b: 'y' }] }, { list: [] }).kind).toBe('pass');
  });

  it('evaluates what holds anchors before its neighbours', () => {
    const pattern = { a: 'wrong', z: { '(b)': 'x' } };
    expect(match(pattern, { a: 'right', z: { b: 'y' } }).kind).toBe('skip');
  });

  it('forgets other failures once an anchor of the same map is unmet', () => {
    expect(match({ '(a)': 'x', 'X(b)': 'null' }, { a: 'y', b: 1 }).kind).toBe('skip');
    expect(match({ '(b)': 'x', 'X(a)': 'null' }, { a: 'y', b: 'y' }).kind).toBe('skip');
    expect(match({ '=(a)': 'x', '^(b)': [{ c: 'x' }] }, { a: 'y', b: [] })).toMatchObject({
      kind: 'fail',
      path: '/a/',
    });
  });
});

describe('messages', () => {
  const message = (pattern: unknown, resource: unknown) => {
    const outcome = match(pattern, resource);
    return 'message' in outcome ? outcome.message : '';
  };

  it.each([
    [{ a: 'x' }, { a: 'y' }, "resource value 'y' does not match 'x' at path /a/"],
    [{ a: 1000000 }, { a: 1000001 }, "resource value '1000001' does not match '1e+06' at path /a/"],
    [
      { a: 'x' },
      { a: [1, null, { c: true, b: 1.5 }] },
      "resource value '[1 <nil> map[b:1.5 c:true]]' does not match 'x' at path /a/",
    ],
    [
      { a: {} },
      { a: 5 },
      'pattern and resource have different structures. Path: /a/. Expected map[string]interface {}, found int64',
    ],
    [{ a: '*' }, {}, '//a not found'],
    [{ 'X(a)': '' }, { a: 1 }, 'negation anchor matched in resource: /a/ is not allowed'],
    [{ '(a)': 'x' }, { a: 'y' }, "conditional anchor mismatch: resource value 'y' does not match 'x' at path /a/"],
    [{ '(a)': 'x' }, {}, "conditional anchor mismatch: conditional anchor key doesn't exist in the resource"],
    [{ '<(a)': 'x' }, { a: 'y' }, "global anchor mismatch: resource value 'y' does not match 'x' at path /a/"],
    [
      { l: [{ '(a)': 'x' }] },
      { l: [{}, {}] },
      "conditional anchor mismatch: conditional anchor key doesn't exist in the resource; conditional anchor mismatch: conditional anchor key doesn't exist in the resource",
    ],
    [{ '^(a)': [{ b: 1 }] }, { a: [] }, 'existence anchor validation failed at path /a/'],
  ])('of %j on %j', (pattern, resource, expected) => {
    expect(message(pattern, resource)).toBe(expected);
  });

  it('do not grow with the object', () => {
    expect(message({ a: 'x' }, { a: Array.from({ length: 100_000 }, () => 'value') }).length).toBeLessThan(2200);
  });

  it('cannot be forged by an object to skip a rule', () => {
    expect(match({ a: 'x' }, { a: 'conditional anchor mismatch' }).kind).toBe('fail');
  });
});

describe('hostile input', () => {
  const key = fc.constantFrom('a', 'b', '(a)', '=(a)', 'X(b)', '^(a)', '<(b)', '+(a)', 'metadata', 'labels', 'a*');
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(null, true, 1, 2.5, '1', '*', '!a', '>1', '1-2', 'a|b'),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(key, tie('tree'), { maxKeys: 4 }),
    ),
  }));

  it('never throws, never changes a side, and answers the same twice', () => {
    fc.assert(
      fc.property(tree, tree, (pattern, resource) => {
        const before = JSON.stringify([pattern, resource]);
        const outcome = match(pattern, resource);
        expect(['pass', 'fail', 'skip', 'error']).toContain(outcome.kind);
        expect(match(structuredClone(pattern), resource)).toEqual(outcome);
        expect(JSON.stringify([pattern, resource])).toBe(before);
      }),
      { numRuns: 500 },
    );
  });

  it('refuses nesting that no parser lets through', () => {
    let pattern: unknown = 'x';
    for (let i = 0; i < 2000; i++) pattern = { a: pattern };
    expect(() => compilePattern(pattern)).toThrow(PolicyError);
  });

  it('compiles nested existence anchors in linear time', () => {
    let pattern: unknown = [{ a: 'x' }];
    for (let i = 0; i < 100; i++) pattern = [{ '^(a)': pattern }];
    expect(match(pattern, [{ a: [] }]).kind).toBe('fail');
  });
});

it('keeps scalars that look alike apart: checks of equal scalars are shared', () => {
  const outcomes = [true, 'true', 1, '1'].map((pattern) =>
    [true, 'true', 1, '1', 1n].map((value) => match({ a: pattern }, { a: value }).kind),
  );
  expect(outcomes).toEqual([
    ['pass', 'fail', 'fail', 'fail', 'fail'],
    ['pass', 'pass', 'fail', 'fail', 'fail'],
    ['fail', 'fail', 'pass', 'pass', 'pass'],
    ['fail', 'fail', 'pass', 'pass', 'pass'],
  ]);
});
