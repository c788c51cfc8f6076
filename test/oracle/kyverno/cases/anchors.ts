import type { JsonObject } from '../../../../src/base/index.ts';
import { policy, rule, widget } from '../build.ts';
import type { PolicyCase } from '../case.ts';

const patterns: readonly JsonObject[] = [
  // Conditions, alone and with siblings, before and after them, in maps and in lists.
  { spec: { '(a)': '1', b: '2' } },
  { spec: { b: '2', '(a)': '1' } },
  { spec: { '(a)': '1' } },
  { spec: { '(a)': '?*', '(b)': '2', c: '3' } },
  { spec: { '(a)': '!1', b: '2' } },
  { spec: { '(a)': null, b: '2' } },
  { spec: { '(m)': { k: 'v' }, b: '2' } },
  { spec: { '(m)': { '(k)': 'v', l: 'w' }, b: '2' } },
  { spec: { '(m)': { '=(k)': 'v' }, b: '2' } },
  { spec: { '(m)': { 'X(k)': 'null' }, b: '2' } },
  { spec: { m: { '(k)': 'v', l: 'w' } } },
  { spec: { list: [{ '(name)': 'a', v: '1' }] } },
  {
    spec: {
      list: [
        { '(name)': 'a*', v: '1' },
        { '(name)': 'b', v: '2' },
      ],
    },
  },
  { spec: { list: [{ '(name)': 'zzz', v: '1' }] } },
  { spec: { list: [{ '(sub)': { k: 'v' }, v: '1' }] } },
  { spec: { '(list)': [{ name: 'a' }], b: '2' } },
  { spec: { '(list)': [{ '(name)': 'a', v: '1' }], b: '2' } },
  { '(metadata)': { labels: { app: 'x' } }, spec: { b: '2' } },
  { metadata: { '(labels)': { app: 'x' } }, spec: { b: '2' } },
  { metadata: { labels: { '(app)': 'x' } }, spec: { b: '2' } },
  { metadata: { '(name)': 'w1*' }, spec: { b: '2' } },
  // Equality.
  { spec: { '=(a)': '1', '=(b)': '2' } },
  { spec: { '=(m)': { k: 'v' } } },
  { spec: { '=(m)': { '=(k)': 'v', '=(l)': '!w' } } },
  { spec: { '=(list)': [{ '=(v)': '1' }] } },
  { spec: { '=(list)': [{ name: '?*' }] } },
  { spec: { '=(a)': null } },
  { '=(spec)': { '=(m)': { '=(n)': { '=(o)': 'p' } } } },
  { spec: { '=(list)': '*' } },
  // Negation.
  { spec: { 'X(a)': 'null' } },
  { spec: { 'X(a)': '1' } },
  { spec: { 'X(m)': 'null', b: '2' } },
  { spec: { list: [{ 'X(v)': 'null' }] } },
  { spec: { '=(list)': [{ 'X(v)': 'null' }] } },
  { spec: { m: { 'X(k)': 'null' } } },
  { spec: { '=(m)': { 'X(k)': 'null' } } },
  { spec: { 'X(list)': [{ name: 'a' }] } },
  // Existence.
  { spec: { '^(list)': [{ name: 'a' }] } },
  { spec: { '^(list)': [{ '(name)': 'a', v: '1' }] } },
  { spec: { '^(list)': [{ '=(name)': 'a' }] } },
  { spec: { '^(list)': [{ name: 'a' }, { name: 'b' }] } },
  { spec: { '^(list)': ['a'] } },
  { spec: { '^(list)': { name: 'a' } } },
  { spec: { '=(list)': [{ '^(subs)': [{ k: 'v' }] }] } },
  { spec: { '^(m)': [{ k: 'v' }] } },
  // Global.
  { spec: { '<(a)': '1', b: '2' } },
  { spec: { b: '2', '<(a)': '1' } },
  { spec: { m: { '<(k)': 'v' }, b: '2' } },
  { spec: { list: [{ '<(name)': 'a' }], b: '2' } },
  { spec: { list: [{ '<(name)': 'a', v: '1' }] } },
  { metadata: { '<(labels)': { app: 'x' } }, spec: { b: '2' } },
  { metadata: { labels: { '<(app)': 'x' } }, spec: { b: '2' } },
  { spec: { '<(a)': '1', '(b)': '2', c: '3' } },
  { spec: { '(a)': '1', '<(b)': '2', c: '3' } },
  { spec: { list: [{ '(name)': 'a', '<(v)': '1' }], b: '2' } },
  // Addition means nothing in a pattern.
  { spec: { '+(a)': '1' } },
  // Lists of plain values, of several patterns, of lists.
  { spec: { list: ['a'] } },
  { spec: { list: ['a', 'b'] } },
  { spec: { list: ['!a'] } },
  { spec: { list: ['a | b'] } },
  { spec: { list: [{ name: 'a' }] } },
  { spec: { list: [{ name: 'a' }, { name: 'b' }] } },
  { spec: { list: [] } },
  { spec: { list: 'a' } },
  { spec: { list: [['a']] } },
  { spec: { list: '*' } },
  { spec: { list: { name: 'a' } } },
  // Wildcard keys.
  { spec: { '*': '1' } },
  { spec: { 'a*': '1' } },
  { metadata: { labels: { 'ap*': 'x' } } },
  { metadata: { labels: { '*': '?*' } } },
  { metadata: { '=(labels)': { '=(ap*)': 'x' } } },
  { metadata: { labels: { '(ap*)': 'x' } }, spec: { b: '2' } },
  { metadata: { 'X(labels)': { 'ap*': 'x' } } },
  { metadata: { labels: { 'X(ap*)': 'null' } } },
  { metadata: { annotations: { 'example.com/*': '!bad' } } },
  // References.
  { spec: { a: '$(../b)' } },
  { spec: { a: '$(/spec/b)' } },
  { spec: { a: '$(./b)' } },
  { spec: { a: '<$(../n)' } },
  { spec: { n: '>$(../k)' } },
  { spec: { list: [{ name: '$(/metadata/name)' }] } },
  { spec: { list: [{ v: '$(../name)' }] } },
  { spec: { a: '$(../missing)' } },
  { spec: { a: '$(/metadata/labels/app)-$(../b)' } },
  { spec: { a: '!$(../b)' } },
];

const resources = [
  widget('w1', {}),
  widget(
    'w2',
    { a: '1', b: '2', c: '3', n: 5, k: 3 },
    { labels: { app: 'x' }, annotations: { 'example.com/a': 'good' } },
  ),
  widget('w10', { a: '1', b: '3', n: 3, k: 5 }, { labels: { app: 'y' }, annotations: { 'example.com/a': 'bad' } }),
  widget('w4', { a: '2', b: '2', m: { k: 'v', l: 'w' } }, { labels: {} }),
  widget('w5', { a: '2', b: '3', m: { k: 'x', l: 'w' } }, { labels: { tier: 'x' } }),
  widget('w6', { b: '2', m: {}, list: [] }),
  widget('w7', {
    b: '2',
    list: [
      { name: 'a', v: '1' },
      { name: 'b', v: '2' },
    ],
  }),
  widget('w8', { b: '2', list: [{ name: 'a', v: '2' }, { name: 'c' }] }),
  widget('w9', {
    b: '3',
    list: [
      { name: 'b', v: '1', sub: { k: 'v' } },
      { name: 'ab', subs: [{ k: 'v' }] },
    ],
  }),
  widget('w11', { list: ['a', 'b'], m: [{ k: 'v' }], a: '' }),
  widget('w12', { list: ['a'], m: 'text', a: null }),
  widget('w13', { list: 'a', m: null, b: 2, a: 1 }),
  widget('w14', { list: [['a'], ['b']], m: { k: null } }),
  widget('w15', { list: { name: 'a' }, m: { k: 'v', n: { o: 'p' } } }),
  widget('w16', { list: null, m: { n: { o: 'q' } } }),
  widget('w17', { list: [{ name: 'a' }, 'b', null] }),
  widget('w18', {
    list: [
      { name: 'w18', v: 'w18' },
      { name: 'x', v: 'x' },
    ],
    a: 'b',
    b: 'b',
  }),
  { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w19' } },
];

const patternRule = (pattern: JsonObject, i: number) => rule(`p${i}`, { validate: { message: 'no', pattern } });
const anyRule = (anyPattern: readonly JsonObject[], i: number) =>
  rule(`any${i}`, { validate: { message: 'no', anyPattern } });

/** Anchors of every sort and nesting on objects that have, lack and misshape what they speak of. */
export const anchorCases: readonly PolicyCase[] = [
  ...patterns.map((pattern, i) => ({
    name: `anchor ${JSON.stringify(pattern)}`,
    policies: [policy('anchors', [patternRule(pattern, i)])],
    resources,
  })),
  ...patterns.slice(0, -1).map((pattern, i) => ({
    name: `anyPattern ${i}`,
    policies: [policy('anchors', [anyRule([pattern, patterns[(i * 7 + 3) % patterns.length]!], i)])],
    resources,
  })),
];
