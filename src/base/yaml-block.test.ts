import fc from 'fast-check';
import { parseEvents } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { readBlockYaml } from './yaml-block.ts';
import { maxYamlDepth, YamlBuilder, type YamlDocument } from './yaml-build.ts';
import { SourceText } from './yaml-error.ts';

/** The full parser; undefined for a text that it refuses. */
function readAll(text: string): readonly YamlDocument[] | undefined {
  try {
    return new YamlBuilder(new SourceText(text, undefined)).build(parseEvents(text, { maxDepth: maxYamlDepth }));
  } catch {
    return undefined;
  }
}

const scalars = [
  'a',
  'true',
  'no',
  '~',
  'null',
  '12',
  '-1',
  '0644',
  '1.5',
  '.inf',
  '9007199254740993',
  '"a b"',
  '"a\\n\\"b"',
  '"\\x41"',
  "'it''s'",
  "'#'",
  '""',
  'a: b',
  'a #b',
  'a#b',
  'http://x:80/',
  '--config=x',
  ':8080',
  '?x',
  '-',
  '- a',
  '[]',
  '{}',
  '[a, "b", -1]',
  '{a: b, "c": [d]}',
  '[a: b]',
  '{a}',
  '[ a , b ]',
  '{ a: 1 }',
  '[a,]',
  '*x',
  '&x a',
  '!!str 1',
  '@a',
  '`a',
  '%a',
  'é',
  'a\tb',
  '|',
  '|-',
  '>+',
  '>',
  '>-',
  '|2',
  '',
  '# c',
  ' # c',
  '"a" # c',
  '"a"#c',
];
const keys = [
  'a',
  'b',
  'c',
  'x/y.z',
  '"a"',
  "'b c'",
  '1',
  'yes',
  '<<',
  '__proto__',
  'constructor',
  '? a',
  'a b',
  '-',
  '- a',
  '- - b',
];
const lines = [
  '',
  '  ',
  '# c',
  '   # c',
  '---',
  '--- ',
  '--- # c',
  '--- a',
  '...',
  '%YAML 1.2',
  '- ',
  '-',
  'a',
  '    text',
  '  - a',
  '\ta',
];

const line = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(fc.nat(4), fc.constantFrom(...keys), fc.constantFrom(':', ': ', ':  ', ':'), fc.constantFrom(...scalars))
      .map(([indent, key, colon, scalar]) => ' '.repeat(indent) + key + colon + scalar),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        fc.nat(4),
        fc.constantFrom('- ', '-  ', '-'),
        fc.constantFrom('', 'a: ', '- '),
        fc.constantFrom(...scalars),
      )
      .map(([indent, dash, key, scalar]) => ' '.repeat(indent) + dash + key + scalar),
  },
  { weight: 2, arbitrary: fc.constantFrom(...lines) },
);
/** Lines at any indent: most texts are wrong, and must be left to the full parser. */
const anyLines = fc
  .tuple(fc.array(line, { maxLength: 7 }), fc.constantFrom('', '\n', '\n\n', '\n '))
  .map(([found, end]) => found.join('\n') + end);

interface Tree {
  readonly scalar?: string;
  readonly list?: readonly Tree[];
  readonly map?: readonly (readonly [string, Tree])[];
}
const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(...scalars).map((scalar): Tree => ({ scalar })),
    fc.array(tie('tree'), { minLength: 1, maxLength: 3 }).map((list): Tree => ({ list })),
    fc
      .array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'x/y.z', '"d"', "'e f'"), tie('tree')), {
        minLength: 1,
        maxLength: 3,
      })
      .map((map): Tree => ({ map })),
  ),
}));

function render(value: Tree, indent: string, step: string): string {
  if (value.scalar !== undefined) {
    const isBlock = /^[|>]/.test(value.scalar);
    return ` ${value.scalar}\n${isBlock ? `${indent}${step}one\n\n${indent}${step}two\n${indent}${step} three\n` : ''}`;
  }
  if (value.list) return `\n${value.list.map((item) => `${indent}-${render(item, `${indent}  `, step)}`).join('')}`;
  return `\n${value.map!.map(([key, item]) => `${indent}${key}:${render(item, indent + step, step)}`).join('')}`;
}
/** Mostly right, with one character put in, changed or taken away. */
const nearlyRight = fc
  .tuple(
    tree,
    fc.constantFrom('', ' ', '  ', '    '),
    fc.nat(),
    fc.constantFrom('', '', ' ', '\n', ':', '-', '#', '"', "'", '|', '\t', '---\n'),
    fc.nat(2),
  )
  .map(([value, step, place, character, removed]) => {
    const text = `---${render(value, '', step)}`;
    const at = place % (text.length + 1);
    return text.slice(0, at) + character + text.slice(at + (character === '' ? removed : 0));
  });

describe('the reader of manifests', () => {
  test.each([
    ['lines in any order', anyLines],
    ['documents with a mistake', nearlyRight],
  ])('reads %s as the full parser does, or not at all', (_, texts) => {
    let read = 0;
    fc.assert(
      fc.property(texts, (text) => {
        const found = readBlockYaml(text);
        if (found === undefined) return;
        read++;
        expect(found).toEqual(readAll(text));
      }),
      { numRuns: 3_000 },
    );
    expect(read).toBeGreaterThan(100);
  });

  test('reads what manifests are made of', () => {
    const text = `# a comment
apiVersion: v1 # another
kind: "ConfigMap"
metadata:
  name: 'it''s'
  labels: {a: b, "c": [d, 1]}
  annotations:
    text: "one\\ntwo"
data:
  literal: |
    one

      two
  folded: >-
    one
    two

    three
  kept: |+
    one

list:
- --flag=x
- - 1
  - 2
- name: a
  empty:
  none: ~
---
kind: List
items: []
`;
    const found = readBlockYaml(text, 11);
    expect(found).toEqual(readAll(text)!.map(({ value, line: at }) => ({ value, line: at + 10 })));
    expect(found!.map(({ line: at }) => at)).toEqual([12, 40]);
  });

  test.each([
    ['anchors', 'a: &x 1\nb: *x\n'],
    ['tags', 'a: !!str 1\n'],
    ['merges', '<<: {a: b}\n'],
    ['tabs', 'a:\tb\n'],
    ['carriage returns', 'a: b\r\n'],
    ['a byte order mark', '\ufeffa: b\n'],
    ['scalars on several lines', 'a: b\n  c\n'],
    ['keys twice', 'a: b\na: c\n'],
    ['keys that are no text', '1: a\n'],
    ['numbers that JSON has not', 'a: .inf\n'],
    ['__proto__', '__proto__: {a: b}\n'],
    ['quoted __proto__', '"__proto__": {a: b}\n'],
    ['deep nesting', `a: ${'['.repeat(150)}${']'.repeat(150)}\n`],
  ])('leaves %s to the full parser', (_, text) => {
    expect(readBlockYaml(text)).toBeUndefined();
  });
});
