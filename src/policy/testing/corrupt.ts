import fc from 'fast-check';
import { isJsonObject } from '../../base/index.ts';

const nonsense = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    [],
    {},
    [null],
    0,
    -1,
    1e308,
    true,
    '*',
    '{{ nonsense( }}',
    '{{ element }}',
    '$(./../x)',
  ),
  fc.constantFrom<unknown>({ __proto__: null, a: 1 }, JSON.parse('{"__proto__":{"polluted":true}}'), 'x'.repeat(3000)),
  fc.jsonValue({ maxDepth: 2 }),
);

/** A document with some of its parts replaced by something else. */
export function corrupted(documents: fc.Arbitrary<Record<string, unknown>>): fc.Arbitrary<Record<string, unknown>> {
  const change = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), nonsense);
  return fc.tuple(documents, fc.array(change, { minLength: 1, maxLength: 3 })).map(([document, changes]) =>
    changes.reduce((current, [at, replacement]) => {
      const paths = [...pathsOf(current, [])];
      const path = paths[Math.min(paths.length - 1, Math.floor(at * paths.length))] ?? [];
      return replaced(current, path, replacement) as Record<string, unknown>;
    }, document),
  );
}

type Path = readonly string[];

function* pathsOf(value: unknown, path: Path): Generator<Path> {
  if (path.length > 0) yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, field] of Object.entries(value)) yield* pathsOf(field, [...path, key]);
}

function replaced(value: unknown, [key, ...rest]: Path, replacement: unknown): unknown {
  if (key === undefined) return replacement;
  if (Array.isArray(value))
    return value.map((item, i) => (String(i) === key ? replaced(item, rest, replacement) : item));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, name === key ? replaced(field, rest, replacement) : field]),
  );
}
