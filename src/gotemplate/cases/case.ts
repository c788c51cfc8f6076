import type { JsonObject } from '../../base/index.ts';
import type { NumberTypes } from '../program.ts';

/** One template and what it is rendered with; Go's answer to it is in recorded.json. */
export interface TemplateCase {
  readonly template: string;
  /** The fixture where left out. */
  readonly data?: unknown;
  readonly missingKey?: 'error' | 'default' | 'zero';
  readonly functions?: 'go' | 'all';
  readonly numbers?: NumberTypes;
}

export interface Answer {
  readonly output: string;
  readonly error?: string;
}

/** Data with one of everything that JSON can carry. */
export const fixture: JsonObject = {
  name: 'web',
  tag: 'v1.2.3',
  count: 3,
  zero: 0,
  neg: -7,
  pi: 3.25,
  whole: 1e21,
  small: 1.5e-7,
  big: 9007199254740993n,
  flag: true,
  off: false,
  empty: '',
  none: null,
  list: [3, 1, 2],
  words: ['b', 'a', 'c', 'a'],
  mixed: [1, 'two', 3.5, true, null, { k: 'v' }, [1, 2]],
  emptyList: [],
  emptyMap: {},
  map: { b: 2, a: 1, c: 3 },
  nested: { a: { b: { c: 'deep' } }, list: [{ x: 1 }, { x: 2 }] },
  users: [
    { name: 'ann', age: 30, tags: ['x', 'y'] },
    { name: 'bob', age: 4, tags: [] },
  ],
  text: 'line one\nline two\n\nline four\n',
  unicode: 'h\u00e9llo w\u00f6rld \u2603',
  html: '<a href="x?a=1&b=2">it\'s</a>',
  spaces: '  padded\t\n',
  path: 'a/b/../c.tar.gz',
  ref: 'registry.example.com:5000/team/app:v1.2.3-rc.1+build',
  percent: '100%',
};

/** Templates over the fixture. */
export const over = (templates: readonly string[], rest: Omit<TemplateCase, 'template'> = {}): TemplateCase[] =>
  templates.map((template) => ({ template, ...rest }));
