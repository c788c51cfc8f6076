import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from './json.ts';
import { parseYaml, parseYamlDocuments } from './yaml.ts';
import { YamlError } from './yaml-error.ts';
import { compareKeys, renderYaml } from './yaml-render.ts';

const failure = (text: string, file?: string): YamlError => {
  try {
    parseYaml(text, file === undefined ? {} : { file });
  } catch (thrown) {
    if (thrown instanceof YamlError) return thrown;
    throw thrown;
  }
  throw new Error('nothing was thrown');
};

describe('a plain scalar', () => {
  test.each<[string, Json]>([
    ...['y', 'Y', 'yes', 'Yes', 'YES', 'on', 'On', 'ON', 'true', 'True', 'TRUE'].map((t): [string, Json] => [t, true]),
    ...['n', 'N', 'no', 'No', 'NO', 'off', 'Off', 'OFF', 'false', 'False', 'FALSE'].map((t): [string, Json] => [
      t,
      false,
    ]),
    ...['~', 'null', 'Null', 'NULL', ''].map((t): [string, Json] => [t, null]),
    ...['yES', 'oN', 'tRUE', 'nULL', 'yeah'].map((t): [string, Json] => [t, t]),
    ['0644', 420],
    ['0o644', 420],
    ['0O17', 15],
    ['0x1F', 31],
    ['0b11', 3],
    ['-0b11', -3],
    ['+0x10', 16],
    ['08', 8],
    ['0o8', '0o8'],
    ['0b', '0b'],
    ['1_000', 1000],
    ['_1', '_1'],
    ['1_0.5_0', 10.5],
    ['+1', 1],
    ['-0', 0],
    ['1.', 1],
    ['.5', 0.5],
    ['._5', '._5'],
    ['.', '.'],
    ['1e3', 1000],
    ['1e400', '1e400'],
    ['0x1p-2', '0x1p-2'],
    ['1:30', '1:30'],
    ['1.2.3', '1.2.3'],
    ['2001-01-01', '2001-01-01'],
    ['2001-12-14t21:59:43.10-05:00', '2001-12-14t21:59:43.10-05:00'],
    ['9007199254740993', 9007199254740993n],
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
    ['18446744073709551615', 18446744073709552000],
    ['0xFFFFFFFFFFFFFFFFFF', '0xFFFFFFFFFFFFFFFFFF'],
    ['<<', '<<'],
    ['"1"', '1'],
    ["'yes'", 'yes'],
    ['!!str 1', '1'],
    ['! 12', '12'],
    ['!!int "7"', 7],
    ['!custom 7', '7'],
    ['!!binary aGk=', 'hi'],
    ['!<tag:yaml.org,2002:str> 1', '1'],
  ])('%j parses as %s', (text, expected) => {
    expect(parseYaml(`a: ${text}`)).toEqual({ a: expected });
  });
});

describe('a map', () => {
  test("keys that are not text become text in Go's format", () => {
    const text = '{1: a, 1.5: b, yes: c, 1e6: d, 0x10: e, 1e-5: f, 123456.7: g, 08: h}';
    expect(Object.keys(parseYaml(text) as object).sort()).toEqual(
      ['1', '1.5', 'true', '1e+06', '16', '1e-05', '123456.7', '8'].sort(),
    );
  });

  test('__proto__ is an ordinary key, also in merged maps', () => {
    const value = parseYaml('x: &x {__proto__: {a: 1}}\nz: {<<: *x, b: 2}') as { x: object; z: object };
    expect([Object.keys(value.x), Object.keys(value.z)]).toEqual([['__proto__'], ['__proto__', 'b']]);
  });

  test('merges apply at their position', () => {
    expect(parseYaml('{a: 1, <<: {a: 2, b: 2}}')).toEqual({ a: 2, b: 2 });
    expect(parseYaml('{<<: {a: 2, b: 2}, a: 1}')).toEqual({ a: 1, b: 2 });
    expect(parseYaml('{<<: [{a: 1}, {a: 2, b: 3}], b: 4}')).toEqual({ a: 1, b: 4 });
    expect(parseYaml('x: &x {a: 1}\nz: {<<: *x, "<<": quoted}')).toEqual({ x: { a: 1 }, z: { a: 1, '<<': 'quoted' } });
  });

  test.each([
    ['a: 1\nb: 2\na: 3', 'yaml-duplicate-key', 'f.yaml:3:1: key "a" already set in map'],
    ['1: a\n"1": b', 'yaml-duplicate-key', 'f.yaml:2:1: key "1" already set in map'],
    ['~: 1', 'yaml-invalid-key', 'f.yaml:1:1: null cannot be a key'],
    ['? [a]\n: 1', 'yaml-invalid-key', 'f.yaml:1:3: a list or map cannot be a key'],
    ['a: {<<: 1}', 'yaml-invalid-merge', 'map merge requires map'],
    ['a: .inf', 'yaml-not-json', 'f.yaml:1:4: .inf is a number that JSON cannot carry'],
    ['a: -.INF', 'yaml-not-json', 'JSON cannot carry'],
    ['a: .nan', 'yaml-not-json', 'JSON cannot carry'],
    ['a: *b', 'yaml-unknown-anchor', "unknown anchor 'b'"],
    ['a: &a [*a]', 'yaml-recursive', "anchor 'a' value contains itself"],
    ['a: !!int x', 'yaml-invalid-tag', 'cannot decode `x` as a !!int'],
    ['a: [1', 'yaml-invalid', 'f.yaml:1:6: '],
    ['a: b: c', 'yaml-invalid', 'f.yaml:1:5: '],
    ['a: 1\n---\nb: 1', 'yaml-several-documents', 'f.yaml:3:1: only one document'],
  ])('rejects %j with %s', (text, code, message) => {
    const error = failure(text, 'f.yaml');
    expect(error.code).toBe(code);
    expect(error.message).toContain(message);
  });
});

describe('limits', () => {
  test('bounds nesting in block, flow and JSON', () => {
    expect(failure('['.repeat(11_000) + ']'.repeat(11_000)).code).toBe('yaml-too-deep');
    expect(failure(`- ${'- '.repeat(600)}`).code).toBe('yaml-too-deep');
    expect(parseYaml('['.repeat(400) + ']'.repeat(400))).toHaveLength(1);
  });

  test('aliases may neither multiply nor nest without limit', () => {
    const laughs = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let i = 1; i < 10; i++)
      laughs.push(
        `a${i}: &a${i} [${Array(10)
          .fill(`*a${i - 1}`)
          .join(', ')}]`,
      );
    expect(failure(laughs.join('\n')).message).toContain('excessive aliasing');
    const text = `a: &a ${'x'.repeat(1_000_000)}\nb: [${Array(100).fill('*a').join(', ')}]`;
    expect(failure(text).message).toContain('excessive aliasing');
    const ladder = ['a0: &a0 [x]'];
    for (let i = 1; i < 600; i++) ladder.push(`a${i}: &a${i} [*a${i - 1}]`);
    expect(failure(ladder.join('\n')).code).toBe('yaml-too-deep');
  });

  test('rejects a text beyond the limit without parsing it', () => {
    expect(() => parseYaml('a: 1', { maxBytes: 3 })).toThrow('longer than 3 bytes');
  });
});

describe('documents', () => {
  test('each has the line where its content starts, and empty ones are dropped', () => {
    const text = '# head\n---\na: 1\nb: 2\n---\n---\n# only a comment\n---\n\n- u\n- v\n...\n---\nnull\n';
    expect(parseYamlDocuments(text)).toEqual([
      { value: { a: 1, b: 2 }, line: 3 },
      { value: ['u', 'v'], line: 10 },
    ]);
  });

  test('an empty text has none', () => {
    expect(parseYamlDocuments(' \n# nothing\n')).toEqual([]);
    expect(parseYaml('')).toBe(null);
  });

  test('parses JSON as JSON', () => {
    expect(parseYaml('\n{"a": [1, 9223372036854775807], "b": "\\u00e9"}')).toEqual({
      a: [1, 9223372036854775807n],
      b: 'é',
    });
    expect(parseYamlDocuments('{"a": 1}\n---\n{b: yes}\n').map((d) => d.value)).toEqual([{ a: 1 }, { b: true }]);
    expect(Object.keys(parseYaml('{"__proto__": 1}') as object)).toEqual(['__proto__']);
  });

  test('anchors end with their document', () => {
    expect(() => parseYamlDocuments('a: &x 1\n---\nb: *x')).toThrow("3:5: unknown anchor 'x'");
  });
});

describe('rendering', () => {
  test('equals the output of kubectl', () => {
    const value = {
      bool: 'true',
      date: '2001-01-01',
      empty: '',
      map: {},
      list: [1, { a: 'x: y', b: [] }],
      long: `${'word '.repeat(40)}end`,
      text: 'two\nlines\n',
      big: 9223372036854775807n,
      none: null,
      absent: undefined,
      yes: 'plain',
    };
    expect(renderYaml(value)).toBe(
      [
        'bool: "true"',
        'date: "2001-01-01"',
        'empty: ""',
        'map: {}',
        'list:',
        '- 1',
        "- a: 'x: y'",
        '  b: []',
        `long: ${'word '.repeat(40)}end`,
        'text: |',
        '  two',
        '  lines',
        'big: 9223372036854775807',
        'none: null',
        '"yes": plain',
        '',
      ].join('\n'),
    );
  });

  test('sorts keys on request as go-yaml does', () => {
    const keys = ['b', 'a10', 'a9', 'A', '_', 'a', '.dot', 'a-b'];
    expect([...keys].sort(compareKeys)).toEqual(['.dot', '_', 'A', 'a', 'a-b', 'a9', 'a10', 'b']);
    expect(renderYaml({ b: 1, a10: 1, a9: 1 }, { sortKeys: true })).toBe('a9: 1\na10: 1\nb: 1\n');
  });

  test('any rendered JSON value parses to the same value', () => {
    const special = fc.constantFrom(
      'yes',
      'n',
      '0644',
      '1e3',
      '~',
      '',
      ' x',
      'x ',
      '- a',
      '#',
      'a: b',
      '1:30',
      '2001-01-01',
      '\n',
      'a\n\nb',
      ' a\nb',
      '\ttab',
      '<<',
      '=',
      '---',
      '...',
      '!x',
      '*x',
      '&x',
      '0x1F',
      '.inf',
      '@',
      '`',
      '%',
      "'",
      '"',
      '\u2028',
      '\u0000',
    );
    const text = fc.oneof(special, fc.string({ unit: 'grapheme' }), fc.string());
    const key = text;
    const { json } = fc.letrec<{ json: Json }>((tie) => ({
      json: fc.oneof(
        { maxDepth: 4 },
        text,
        fc.oneof(
          fc.integer(),
          fc
            .double({ noNaN: true, noDefaultInfinity: true })
            .filter((n) => !Number.isInteger(n) || Number.isSafeInteger(n))
            .map((n) => n + 0),
          fc.boolean(),
          fc.constant(null),
          fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n }),
        ),
        fc.array(tie('json'), { maxLength: 4 }),
        fc.dictionary(key, tie('json'), { maxKeys: 4, noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(json, (value) => {
        expect(parseYaml(renderYaml({ value }))).toEqual({ value });
      }),
      { numRuns: 300 },
    );
  });
});
