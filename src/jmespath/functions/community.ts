import { setOwn, toLower, toUpper } from '../../base/index.ts';
import { invalid } from '../errors.ts';
import type { Run } from '../run.ts';
import type { Reference } from '../values.ts';
import { jsonParser } from './encoding.ts';
import { integer } from './go-number.ts';
import { define, type FunctionSpec } from './signature.ts';
import { matchesWildcard } from './wildcard.ts';

type List = readonly unknown[];
type Numeric = number | bigint;

/** JMESPath Community's functions that Kyverno's dialect lacks, and those that assertion trees add. */
export const communityOnly: readonly FunctionSpec[] = [
  define('lower', ['string'], (run, text: string) => toLower(paid(text, run))),
  define('upper', ['string'], (run, text: string) => toUpper(paid(text, run))),
  define('trim_left', ['string', 'string?'], (run, text: string, cut?: string) => {
    const { characters, isKept } = trimming(paid(text, run), cut);
    const start = characters.findIndex(isKept);
    return start < 0 ? '' : characters.slice(start).join('');
  }),
  define('trim_right', ['string', 'string?'], (run, text: string, cut?: string) => {
    const { characters, isKept } = trimming(paid(text, run), cut);
    return characters.slice(0, characters.findLastIndex(isKept) + 1).join('');
  }),
  define('pad_left', ['string', 'number', 'string?'], (run, text: string, width: Numeric, pad = ' ') =>
    padding(text, width, pad, run).concat(text),
  ),
  define('pad_right', ['string', 'number', 'string?'], (run, text: string, width: Numeric, pad = ' ') =>
    text.concat(padding(text, width, pad, run)),
  ),
  define('find_first', ['string', 'string', 'number?', 'number?'], (run, ...args: FindArguments) =>
    find(args, run, (text, wanted) => text.indexOf(wanted)),
  ),
  define('find_last', ['string', 'string', 'number?', 'number?'], (run, ...args: FindArguments) =>
    find(args, run, (text, wanted) => text.lastIndexOf(wanted)),
  ),
  define('from_items', ['array'], (run, items: List) => {
    run.charge(items.length);
    const object: Record<string, unknown> = {};
    for (const item of items) {
      if (!Array.isArray(item) || item.length !== 2 || typeof item[0] !== 'string') {
        throw invalid('each element must be a list of two, a string and a value');
      }
      setOwn(object, item[0], item[1]);
    }
    return object;
  }),
  define('group_by', ['array', 'expression'], (run, list: List, by: Reference) => {
    if (list.length === 0) return null;
    run.charge(list.length);
    const groups = new Map<string, unknown[]>();
    for (const item of list) {
      const key = by.apply(item, run);
      if (typeof key !== 'string') throw invalid('the expression must give a string for every element');
      const group = groups.get(key);
      if (group) group.push(item);
      else groups.set(key, [item]);
    }
    const object: Record<string, unknown> = {};
    for (const [key, group] of groups) setOwn(object, key, group);
    return object;
  }),
  {
    name: 'zip',
    parameters: [['array'], ['array']],
    variadic: ['array'],
    call: (lists, run) => {
      const length = Math.min(...lists.map((list) => (list as List).length));
      run.charge(length * lists.length);
      return Array.from({ length }, (_, i) => lists.map((list) => (list as List)[i]));
    },
  },
  define('at', ['array', 'number'], (_, list: List, index: Numeric) => {
    const i = integer(index);
    if (i < 0 || i >= list.length) throw invalid(`there is no element ${i} in a list of ${list.length}`);
    return list[i];
  }),
  define('concat', ['string', 'string'], (run, a: string, b: string) => {
    run.chargeText(a.length + b.length);
    return a + b;
  }),
  jsonParser('json_parse'),
  define('wildcard', ['string', 'string'], (run, pattern: string, text: string) => {
    run.charge(1 + (text.length * pattern.length) / 256);
    return matchesWildcard(pattern, text);
  }),
];

function paid(text: string, run: Run): string {
  run.chargeText(text.length);
  return text;
}

// Go's white space, which is not that of regular expressions.
const space = new Set('\t\n\v\f\r \u0085\u00a0\u1680\u2028\u2029\u202f\u205f\u3000');
for (let code = 0x2000; code <= 0x200a; code++) space.add(String.fromCodePoint(code));

function trimming(text: string, cut = '') {
  const unwanted = cut === '' ? space : new Set(cut);
  return { characters: [...text], isKept: (character: string) => !unwanted.has(character) };
}

function padding(text: string, width: Numeric, pad: string, run: Run): string {
  const wanted = integer(width);
  if (wanted < 0) throw invalid('the width must not be negative');
  if ([...pad].length > 1) throw invalid('the padding must be one character');
  const missing = wanted - [...text].length;
  if (missing <= 0) return '';
  run.chargeText(text.length + missing);
  return pad.repeat(missing);
}

type FindArguments = [text: string, wanted: string, start?: Numeric, end?: Numeric];

/** A position in characters, or null. */
function find(
  [text, wanted, start = 0, end = text.length]: FindArguments,
  run: Run,
  search: (text: string, wanted: string) => number,
): number | null {
  run.chargeText(text.length);
  if (text === '' || wanted === '') return null;
  const characters = [...text];
  const from = Math.max(0, integer(start));
  const part = characters.slice(from, Math.max(from, integer(end))).join('');
  const found = search(part, wanted);
  return found < 0 ? null : from + [...part.slice(0, found)].length;
}
