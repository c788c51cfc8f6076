import type { JsonObject } from '../../../../src/base/index.ts';
import { policy, rule, widget } from '../build.ts';
import type { PolicyCase } from '../case.ts';

const loops: readonly JsonObject[] = [
  { list: 'request.object.spec.items', pattern: { name: '!bad' } },
  { list: 'request.object.spec.items', anyPattern: [{ name: 'a' }, { v: '>1' }] },
  {
    list: 'request.object.spec.items',
    deny: { conditions: { any: [{ key: '{{ element.v }}', operator: 'GreaterThan', value: 1 }] } },
  },
  {
    list: 'request.object.spec.items',
    deny: { conditions: { any: [{ key: '{{ element.missing }}', operator: 'Equals', value: 1 }] } },
  },
  {
    list: 'request.object.spec.items',
    preconditions: { any: [{ key: '{{ element.name }}', operator: 'Equals', value: 'a' }] },
    pattern: { v: 2 },
  },
  {
    list: 'request.object.spec.items',
    preconditions: { any: [{ key: '{{ element.missing }}', operator: 'Equals', value: 'a' }] },
    pattern: { v: 2 },
  },
  { list: 'request.object.spec.items[].name', pattern: '!bad' },
  { list: 'request.object.spec.names', pattern: 'a*' },
  {
    list: 'request.object.spec.names',
    deny: { conditions: { any: [{ key: '{{ element }}', operator: 'Equals', value: 'b' }] } },
  },
  {
    list: 'request.object.spec.names',
    deny: { conditions: { any: [{ key: '{{ elementIndex }}', operator: 'Equals', value: 1 }] } },
  },
  { list: 'request.object.spec.missing', pattern: { name: 'x' } },
  { list: 'request.object.spec.map', pattern: { key: 'a*' } },
  {
    list: 'request.object.spec.map',
    deny: { conditions: { any: [{ key: '{{ element.value }}', operator: 'Equals', value: 2 }] } },
  },
  { list: 'request.object.spec.text', pattern: 'x' },
  { list: 'request.object.spec.nothing', pattern: 'x' },
  { list: 'request.object.spec.number', pattern: 5 },
  {
    list: 'keys(request.object.spec.map)',
    deny: { conditions: { any: [{ key: '{{ element }}', operator: 'Equals', value: 'k2' }] } },
  },
  {
    list: "items(request.object.spec.map, 'k', 'v')",
    deny: { conditions: { any: [{ key: '{{ element.k }}', operator: 'Equals', value: 'k2' }] } },
  },
  { list: 'request.object.spec.items', elementScope: false, pattern: { spec: { text: 'x' } } },
  { list: 'request.object.spec.items', elementScope: true, pattern: { name: '?*' } },
  { list: 'request.object.spec.names', elementScope: true, pattern: { name: '?*' } },
  { list: 'request.object.spec.names', elementScope: false, pattern: { spec: { text: 'x' } } },
  {
    list: 'request.object.spec.items',
    context: [{ name: 'up', variable: { jmesPath: 'to_upper(element.name)' } }],
    deny: { conditions: { any: [{ key: '{{ up }}', operator: 'Equals', value: 'B' }] } },
  },
  {
    list: 'request.object.spec.items',
    context: [{ name: 'up', variable: { jmesPath: 'element.missing', default: 'd' } }],
    deny: { conditions: { any: [{ key: '{{ up }}', operator: 'Equals', value: 'd', message: 'up {{ up }}' }] } },
  },
  {
    list: 'request.object.spec.items',
    context: [{ name: 'up', variable: { jmesPath: 'element.missing' } }],
    deny: { conditions: { any: [{ key: '{{ up }}', operator: 'Equals', value: 'd' }] } },
  },
  {
    list: 'request.object.spec.items',
    foreach: [
      {
        list: 'element.subs',
        deny: { conditions: { any: [{ key: '{{ element }}', operator: 'Equals', value: 's2' }] } },
      },
    ],
  },
  {
    list: 'request.object.spec.items',
    foreach: [
      {
        list: 'element0.subs',
        deny: {
          conditions: {
            any: [
              {
                key: '{{ element1 }}',
                operator: 'Equals',
                value: 's2',
                message: '{{ element0.name }} {{ elementIndex0 }} {{ elementIndex1 }}',
              },
            ],
          },
        },
      },
    ],
  },
  {
    list: 'request.object.spec.items',
    foreach: [
      {
        list: 'element.missing',
        deny: { conditions: { any: [{ key: '{{ element }}', operator: 'Equals', value: 's2' }] } },
      },
    ],
  },
  {
    list: 'request.object.spec.items',
    preconditions: { all: [{ key: '{{ element.name }}', operator: 'Equals', value: 'zzz' }] },
    pattern: { v: 2 },
  },
  { list: '{{ request.object.spec.items }}', pattern: { name: '?*' } },
  { list: 'request.object.spec.items[', pattern: { name: '?*' } },
  { list: 'list', pattern: { name: '?*' } },
  { list: '`[1,2]`', deny: { conditions: { any: [{ key: '{{ element }}', operator: 'Equals', value: 2 }] } } },
  { list: 'request.object.spec.items', pattern: { '(name)': 'a', v: 2 } },
  { list: 'request.object.spec.items', pattern: { '<(name)': 'a', v: 2 } },
  { list: 'request.object.spec.items', pattern: { '=(subs)': ['s*'] } },
];

const resources = [
  widget('w1', {}),
  widget('w2', { items: [], names: [], map: {}, text: 'x', nothing: null, number: 5 }),
  widget('w3', {
    items: [
      { name: 'a', v: 1 },
      { name: 'b', v: 2, subs: ['s1', 's2'] },
    ],
    names: ['a', 'b'],
    map: { k1: 1, k2: 2 },
    text: 'y',
  }),
  widget('w4', {
    items: [
      { name: 'a', v: 2, subs: [] },
      { name: 'ab', v: 2 },
    ],
    names: ['a', 'ab'],
    map: { a1: { x: 1 } },
    text: 'x',
  }),
  widget('w5', { items: [{ name: 'bad' }, null, 'text'], names: [null, 'a', 1], map: 'no' }),
  widget('w6', { items: null, names: 'a', map: ['a'] }),
  widget('w7', { items: [{ v: 1 }], names: [['a']], map: { k: null } }),
];

const list: JsonObject = { name: 'list', variable: { jmesPath: 'request.object.spec.items' } };

/** Loops of validate rules: lists of all shapes, scopes, conditions, contexts and loops within. */
export const loopCases: readonly PolicyCase[] = [
  ...loops.map((loop) => ({
    name: `loop ${JSON.stringify(loop)}`,
    policies: [
      policy('loops', [
        rule('r', { context: [list], validate: { message: 'no {{ request.object.metadata.name }}', foreach: [loop] } }),
      ]),
    ],
    resources,
  })),
  ...loops.map((loop, i) => ({
    name: `two loops ${i}`,
    policies: [
      policy('loops', [
        rule('r', {
          context: [list],
          validate: { message: 'no', foreach: [loops[(i * 5 + 2) % loops.length]!, loop] },
        }),
      ]),
    ],
    resources,
  })),
];
