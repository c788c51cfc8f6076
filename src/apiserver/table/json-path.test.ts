import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileJsonPath } from './json-path.ts';
import { JsonPathError } from './json-path-error.ts';

const object = {
  metadata: { name: 'web', labels: { 'app.kubernetes.io/name': 'shop' }, a: { b: 'nested' } },
  spec: { ports: [80, 443, 8080], empty: [] as unknown[], none: null },
  status: {
    conditions: [
      { type: 'Synced', status: 'False', weight: 1 },
      { type: 'Ready', status: 'True', weight: 5, extra: 'yes' },
    ],
  },
};

test.each([
  ['.metadata.name', ['web']],
  ['$.metadata.name', ['web']],
  ['.metadata.missing.deeper', []],
  ['.metadata.labels.app\\.kubernetes\\.io/name', ['shop']],
  [".metadata.labels['app\\.kubernetes\\.io/name']", ['shop']],
  [".metadata['a.b']", ['nested']],
  ["['metadata'].name", ['web']],
  ['.spec.ports[0]', [80]],
  ['.spec.ports[-1]', [8080]],
  ['.spec.ports[*]', [80, 443, 8080]],
  ['.spec.ports[0:2]', [80, 443]],
  ['.spec.ports[::2]', [80, 8080]],
  ['.spec.ports[0,2]', [80, 8080]],
  ['.spec.empty[*]', []],
  ['.spec.none.deeper', []],
  ['.spec.none', [null]],
  ['.status.conditions[?(@.type=="Ready")].status', ['True']],
  [".status.conditions[?(@.type=='Ready')].status", ['True']],
  ['.status.conditions[?(@.type == "Gone")].status', []],
  ['.status.conditions[?(@.type!="Ready")].type', ['Synced']],
  ['.status.conditions[?(@.weight>=5)].type', ['Ready']],
  ['.status.conditions[?(@.extra)].type', ['Ready']],
  ['.status.conditions[*].type', ['Synced', 'Ready']],
  ['..type', ['Synced', 'Ready']],
  ['.metadata.a.*', ['nested']],
] as const)('%s finds its values', (path, expected) => {
  expect(compileJsonPath(path)(object)).toEqual(expected);
});

test.each([
  ['.spec.ports[', 'an opening [ has no ]'],
  ['.spec.ports[x]', 'not an index, a slice or a quoted name'],
  ['.spec.ports[]', 'not an index, a slice or a quoted name'],
  ['.c[?(@.type=="Ready"]', 'a filter has no end'],
  ['.c[?(@.type=="Ready") ]', 'a filter ends with )]'],
  ['.c[?(@.type=="Ready', 'a quoted string has no end'],
  ['.c[?(@.type==', 'a filter has no end'],
  ['.c[?(@.a===1)]', 'unrecognized filter operator ==='],
  ['.a....b', 'two recursive descents follow each other'],
  ['spec.a', 'unrecognized spec'],
  ['.a}b', 'unrecognized character }'],
])('%s is refused and the message says why', (path, why) => {
  expect(() => compileJsonPath(path)).toThrow(why);
});

test('an index on something that is not an array is an error of the object, not an empty result', () => {
  expect(() => compileJsonPath('.metadata.name[0]')(object)).toThrow(JsonPathError);
  expect(() => compileJsonPath('.spec.ports[7]')(object)).toThrow('index 7, length 3');
});

test('any text is either refused with a JsonPathError or gives a function', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'.[]?(@)=\'"\\*:,1a !<>$'), maxLength: 12 }), (text) => {
      try {
        expect(compileJsonPath(text)).toBeTypeOf('function');
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(JsonPathError);
      }
    }),
    { numRuns: 2000 },
  );
});
