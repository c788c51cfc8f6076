import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isJsonObject, type Json, parseYamlDocuments, renderYaml } from '../../src/base/index.ts';
import { createOracle } from './kubectl-oracle.ts';

const oracle = await createOracle();
const seed = 20_240_609;

const widget = (index: number, spec: string) =>
  `apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: w${index}\nspec:\n${spec.replace(/^/gm, '  ')}\n`;

async function compare(documents: readonly string[]): Promise<void> {
  const text = documents.join('---\n');
  const { objects, stderr } = await oracle.read(text);
  const ours = new Map(parseYamlDocuments(text).map(({ value }, index) => [`w${index}`, value]));
  expect(ours.size, stderr).toBe(documents.length);
  for (const [name, value] of ours) expect(value, documents[Number(name.slice(1))]).toEqual(asInt64(objects.get(name)));
}

/** kubectl prints numbers beyond int64, which it holds as doubles, like integers. */
function asInt64(value: Json | undefined): Json | undefined {
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value ? value : Number(value);
  if (Array.isArray(value)) return value.map((item) => asInt64(item) ?? null);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, asInt64(item)]));
}

describe.skipIf(oracle.skip)('YAML against kubectl', () => {
  test('words, numbers and near misses mean the same', async () => {
    const words = ['y', 'yes', 'true', 'on', 'n', 'no', 'false', 'off', 'null', '~'].flatMap((word) => [
      word,
      word.toUpperCase(),
      word.slice(0, 1).toUpperCase() + word.slice(1),
      `${word.slice(0, 1)}${word.slice(1).toUpperCase()}`,
    ]);
    const sign = ['', '+', '-'];
    const numbers = [
      '0',
      '1',
      '00',
      '07',
      '08',
      '0644',
      '0o17',
      '0O17',
      '0x1F',
      '0XfF',
      '0b11',
      '0B1',
      '0b2',
      '0x',
      '1_000',
    ]
      .concat([
        '1__0',
        '1.',
        '.5',
        '1.5',
        '1e3',
        '1E+3',
        '1e-3',
        '1e',
        '.e1',
        '0.10',
        '1_0.5',
        '1e400',
        '0x1p2',
        '1:30',
        '1:2:3',
      ])
      .concat([
        '9007199254740993',
        '9223372036854775807',
        '9223372036854775808',
        '18446744073709551616',
        '0xFFFFFFFFFFFFFFFFFF',
      ])
      .flatMap((number) => sign.map((s) => s + number));
    const others = [
      '2001-01-01',
      '2001-12-14t21:59:43.10-05:00',
      '<<',
      '=',
      '.',
      '..',
      '-',
      '- x',
      '1.2.3',
      '1e3x',
      '_1',
      'e3',
    ];
    const scalars = [...words, ...numbers, ...others].filter((scalar) => scalar !== '-' && scalar !== '- x');
    await compare([widget(0, scalars.map((scalar) => `- ${scalar}`).join('\n'))]);
  });

  test('keys, merges, tags, anchors and block scalars mean the same', async () => {
    const specs = [
      '{1: a, 1.5: b, yes: c, 1e6: d, 0x10: e, 1e-5: f, 123456.7: g, 1e3: h, 0.1: i, -3: j, 3.0e10: k}',
      'a: &a {x: 1, y2: 2}\nb: {<<: *a, x: 3}\nc: {x: 3, <<: *a}\nd: {<<: [*a, {x: 9, z: 9}]}\ne: {"<<": 1}',
      'a: &a [1, {b: 2}]\nc: *a\nd: [*a, *a]',
      '[!!str 1, !!int "7", !!float 1, !!bool "yes", ! 12, !custom 7, !!binary aGk=, !<tag:yaml.org,2002:str> 1]',
      'a: |\n  one\n   two\n\n  three\nb: >\n  one\n  two\n\n  three\n   four\nc: |-\n  x\nd: >+\n  x\n\ne: |2\n    x',
      "a: \"x\\ty\\u00e9\\x41\\n\\\n   z\"\nb: 'it''s\n  folded'\nc: plain\n  folded\nd: # comment\n  e # not: comment\nf: x#y",
      '? a\n: 1\n? "b"\n: [2, ]',
      '{a: , b: [], c: {}, "d":1, e: "",}',
      '{"json": [1, 2.50, -0, 1e2, null, true, "\\u00e9"]}',
    ];
    await compare(specs.map((spec, index) => widget(index, spec)));
  });

  test('what we render, kubectl reads as it was', async () => {
    const special = fc.constantFrom(
      'yes',
      'n',
      '0644',
      '~',
      '',
      ' x',
      'x ',
      '- a',
      '#',
      'a: b',
      '1:30',
      '\n',
      'a\n\nb',
      ' a\nb',
      '\ttab',
      '<<',
      '=',
      '---',
      '!x',
      '*x',
      '&x',
      '.inf',
      '@',
      '%',
      "'",
      '"',
      '\u2028',
      'é',
      '😀',
    );
    const printable = fc.string({ unit: 'grapheme-ascii' });
    const text = fc.oneof(special, printable);
    const { json } = fc.letrec<{ json: Json }>((tie) => ({
      json: fc.oneof(
        { maxDepth: 4 },
        text,
        fc.oneof(fc.integer(), fc.boolean(), fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n })),
        fc.array(tie('json'), { maxLength: 4 }),
        fc.dictionary(
          text.filter((key) => key !== '__proto__'),
          tie('json'),
          { maxKeys: 4, noNullPrototype: true },
        ),
      ),
    }));
    const values = fc.sample(json, { seed, numRuns: 150 });
    const object = (spec: Json, index: number) => ({
      apiVersion: 'v1',
      kind: 'Widget',
      metadata: { name: `w${index}` },
      spec,
    });
    const { objects, stderr } = await oracle.read(values.map((value, i) => renderYaml(object(value, i))).join('---\n'));
    values.forEach((value, index) => {
      const found = objects.get(`w${index}`);
      expect(isJsonObject(found) ? found['spec'] : stderr, renderYaml(value)).toEqual(value);
    });
  });
});
