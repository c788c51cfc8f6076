import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isJsonObject } from '../base/index.ts';
import { deepEqual, type KubeObject } from '../object/index.ts';
import type { ReportPart } from './part-table.ts';
import { isSameReport, renderReport } from './report-object.ts';
import { reportedStatuses } from './result.ts';
import { ResultIndex } from './result-index.ts';

/** What must hold: equal as rendered, without metadata and times. */
const isSameAsRendered = (stored: KubeObject, rendered: KubeObject) => deepEqual(saidBy(stored), saidBy(rendered));

function saidBy({ metadata: _, ...said }: KubeObject): unknown {
  const results: unknown = said['results'];
  return Array.isArray(results) ? { ...said, results: results.map(withoutTime) } : said;
}

function withoutTime(result: unknown): unknown {
  if (!isJsonObject(result)) return result;
  const { timestamp: _, ...rest } = result;
  return rest;
}

const contents = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom('a', 'a-b', 'a.b', 'b'),
    kind: fc.constantFrom('Pod', 'Job'),
    rule: fc.constantFrom('one', 'two'),
    source: fc.constantFrom('kyverno', 'KyvernoValidatingPolicy'),
    category: fc.constantFrom(undefined, 'Pod Security'),
    result: fc.constantFrom(...reportedStatuses),
    message: fc.constantFrom('', 'no', 'message'),
    properties: fc.constantFrom(
      '{"process":"background scan"}',
      '{"process":"admission review","exceptions":"x"}',
      '{"__proto__":"p","constructor":"c"}',
    ),
    hasUid: fc.boolean(),
  }),
  { minLength: 1, maxLength: 8, selector: ({ name, kind, rule }) => `${name} ${kind} ${rule}` },
);

function indexOf(
  items: typeof contents extends fc.Arbitrary<infer Items> ? Items : never,
  { namespace = 'shop', isSplit = true } = {},
): { readonly index: ResultIndex; readonly part: ReportPart } {
  const index = new ResultIndex({ isSplit, nowSeconds: () => 1_700_000_000, onChange: () => {} });
  const resources = new Map<string, ReturnType<ResultIndex['addResource']>>();
  for (const { name, kind, rule, source, category, result, message, properties, hasUid } of items) {
    const id = `${kind} ${name}`;
    const reference = {
      apiVersion: 'v1',
      kind,
      ...(namespace === '' ? {} : { namespace }),
      name,
      ...(hasUid ? { uid: `uid-${id}` } : {}),
    };
    const resource = resources.get(id) ?? index.addResource(reference);
    resources.set(id, resource);
    const head = { source, policy: 'Policy/shop/labels', rule, ...(category ? { category } : {}), scored: true };
    const content = { head, result, message, properties, process: 'background' as const };
    index.put(resource, { isInScope: () => false, contents: [content], sinceMs: 0 });
  }
  return { index, part: [...index.allParts()].find(({ count }) => count > 0)! };
}

const parse = (text: string) => JSON.parse(text) as KubeObject;
const installation = 'supercargo';

/** Every list and object in a value. */
function* nodesOf(value: unknown): Generator<Record<string, unknown> | unknown[]> {
  if (typeof value !== 'object' || value === null) return;
  yield value as Record<string, unknown>;
  for (const child of Object.values(value)) yield* nodesOf(child);
}

const values: readonly unknown[] = ['', 'no', 'pass', 0, 1, true, false, null, {}, [], ['a'], { a: 'b' }];
const keys = ['a', 'message', 'category', 'timestamp', 'results', 'policy', 'uid', '__proto__', 'constructor'];
const edit = fc.record({
  kind: fc.constantFrom('set', 'add', 'remove', 'reorder', 'repeat', 'reverseKeys'),
  node: fc.nat(),
  at: fc.nat(),
  value: fc.constantFrom(...values),
  key: fc.constantFrom(...keys),
});

const setField = (node: object, key: string, value: unknown) =>
  Object.defineProperty(node, key, { value, enumerable: true, configurable: true, writable: true });

function apply(
  object: KubeObject,
  { kind, node: nth, at, value, key }: typeof edit extends fc.Arbitrary<infer E> ? E : never,
) {
  const nodes = [...nodesOf(object)];
  const node = nodes[nth % nodes.length]!;
  const names = Object.keys(node);
  const name = names[at % Math.max(1, names.length)];
  if (Array.isArray(node)) {
    if (kind === 'reorder') node.reverse();
    else if (kind === 'repeat' && name !== undefined) node.push(node[Number(name)]);
    else if (kind === 'remove') node.splice(at % Math.max(1, node.length), 1);
    else if (kind === 'add') node.push(value);
    else if (kind === 'set' && name !== undefined) node[Number(name)] = value;
  } else if (kind === 'add') setField(node, key, value);
  else if (kind === 'remove' && name !== undefined) delete node[name];
  else if (kind === 'set' && name !== undefined) setField(node, name, value);
  else if (kind === 'reverseKeys') {
    const entries = Object.entries(node).reverse();
    for (const [field] of entries) delete node[field];
    for (const [field, old] of entries) setField(node, field, old);
  }
}

it('a report is the same exactly if it says what would be written, whatever the order of its keys and its times', () => {
  let same = 0;
  let different = 0;
  const place = fc.record({ namespace: fc.constantFrom('shop', ''), isSplit: fc.boolean() });
  fc.assert(
    fc.property(contents, place, fc.array(edit, { maxLength: 2 }), (items, where, edits) => {
      const { index, part } = indexOf(items, where);
      const rendered = renderReport(part, { index, installation });
      const text = JSON.stringify(rendered);
      const stored = parse(text);
      for (const one of edits) apply(stored, one);
      // Lists and objects that an edit put in twice are values of their own in a response.
      const read = parse(JSON.stringify(stored));
      const isSame = isSameReport(read, part, index);
      expect(isSame).toBe(isSameAsRendered(read, parse(text)));
      if (isSame) same++;
      else different++;
    }),
    { numRuns: 3000 },
  );
  expect(Math.min(same, different)).toBeGreaterThan(100);
});

type Path = readonly string[];

function* pathsOf(value: unknown, path: Path = []): Generator<Path> {
  if (path.length > 0) yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [name, child] of Object.entries(value)) yield* pathsOf(child, [...path, name]);
}

const nodeAt = (value: unknown, path: Path) =>
  path.reduce((node, name) => (node as Record<string, unknown>)[name], value) as Record<string, unknown> | unknown[];

it('a report that differs from what would be written in any single value, field or result is another one', () => {
  const properties = '{"process":"background scan"}';
  const common = { kind: 'Pod', rule: 'one', source: 'kyverno', properties, hasUid: true } as const;
  const { index, part } = indexOf([
    { ...common, name: 'a', category: 'Pod Security', result: 'fail', message: 'no' },
    { ...common, name: 'b', category: undefined, result: 'pass', message: '' },
  ]);
  const text = JSON.stringify(renderReport(part, { index, installation }));
  const after = (change: (object: KubeObject) => void) => {
    const object = parse(text);
    change(object);
    return isSameReport(object, part, index);
  };
  expect(after(() => {})).toBe(true);
  expect(after((object) => (object['results'] as unknown[]).reverse())).toBe(false);
  const counted = [...pathsOf(parse(text))].filter((path) => path[0] !== 'metadata' && !path.includes('timestamp'));
  expect(counted.length).toBeGreaterThan(30);
  for (const path of counted) {
    const [parent, name] = [path.slice(0, -1), path.at(-1)!];
    expect(
      after((object) => setField(nodeAt(object, parent), name, 'forged')),
      `${path} changed`,
    ).toBe(false);
    expect(
      after((object) => {
        const node = nodeAt(object, parent);
        if (Array.isArray(node)) node.splice(Number(name), 1);
        else delete node[name];
      }),
      `${path} removed`,
    ).toBe(false);
    if (typeof nodeAt(parse(text), path) !== 'object') continue;
    expect(
      after((object) => {
        const node = nodeAt(object, path);
        if (Array.isArray(node)) node.push(node[0]);
        else node['another'] = 'field';
      }),
      `${path} extended`,
    ).toBe(false);
  }
});
