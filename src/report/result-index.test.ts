import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ReportedStatus, ResultContent } from './result.ts';
import { type IndexedResource, ResultIndex } from './result-index.ts';

const content = (policy: string, rule: string, result: ReportedStatus, message = ''): ResultContent => ({
  head: { source: 'kyverno', policy, rule, scored: true },
  result,
  message,
  properties: '{"process":"background scan"}',
  process: 'background',
});
const pod = (name: string, namespace = 'shop') => ({
  apiVersion: 'v1',
  kind: 'Pod',
  namespace,
  name,
  uid: `uid-${namespace}-${name}`,
});

function createIndex(options: { readonly isSplit?: boolean; readonly targetBytes?: number } = {}) {
  const changed = new Set<string>();
  let now = 1_700_000_000;
  const index = new ResultIndex({
    isSplit: options.isSplit ?? true,
    ...(options.targetBytes === undefined ? {} : { targetBytes: options.targetBytes }),
    nowSeconds: () => now++,
    onChange: (key) => changed.add(key),
  });
  return { index, changed };
}

const put = (
  index: ResultIndex,
  resource: IndexedResource,
  isInScope: (policy: string) => boolean,
  contents: readonly ResultContent[],
) => index.put(resource, { isInScope, contents, sinceMs: 0 });

interface Contents {
  readonly fingerprint: string;
  readonly summary: object;
  readonly results: readonly { readonly head: { readonly policy: string } }[];
}

/** Everything that would be written, without times. */
function contentsOf(index: ResultIndex): Readonly<Record<string, Contents>> {
  return Object.fromEntries(
    [...index.allParts()]
      .filter(({ count }) => count > 0)
      .map((part): [string, Contents] => [
        part.key,
        {
          fingerprint: index.fingerprintOf(part),
          summary: index.summaryOf(part),
          results: Array.from(index.resultsOf(part), ({ seconds: _, ...rest }) => rest),
        },
      ])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

describe('the result index', () => {
  it('reports each changed object once per operation, with the time of the cause', () => {
    const notified: (readonly [string, number])[] = [];
    const index = new ResultIndex({
      isSplit: false,
      nowSeconds: () => 0,
      onChange: (key, sinceMs) => notified.push([key, sinceMs]),
    });
    const web = index.addResource(pod('web'));
    const contents = [content('a', 'r', 'pass'), content('a', 's', 'pass'), content('b', 'r', 'pass')];
    index.put(web, { isInScope: () => true, contents, sinceMs: 5 });
    const [key] = [...index.allParts()].map((part) => part.key);
    expect(notified.splice(0)).toEqual([[key, 5]]);
    index.put(web, { isInScope: () => true, contents, sinceMs: 6 });
    expect(notified).toEqual([]);
    for (const _ of index.removeWhere({ isOfRule: ({ policy }) => policy === 'a', isGone: () => true, sinceMs: 7 }));
    expect(new Set(notified.splice(0).map(String))).toEqual(new Set([`${key},7`]));
    index.removeResource(web, 8);
    expect(notified).toEqual([[key, 8]]);
  });

  it('holds a report per policy and namespace, and says which objects changed', () => {
    const { index, changed } = createIndex();
    const web = index.addResource(pod('web'));
    put(index, web, () => true, [content('a', 'r', 'pass'), content('b', 'r', 'fail', 'no')]);
    expect([...changed].sort()).toEqual(['shop/polr-ns-shop-a', 'shop/polr-ns-shop-b']);
    expect(index.summaryOf(index.part('shop/polr-ns-shop-b')!)).toMatchObject({ pass: 0, fail: 1 });
    changed.clear();
    expect(put(index, web, () => true, [content('a', 'r', 'pass'), content('b', 'r', 'pass')])).toBe(true);
    expect([...changed]).toEqual(['shop/polr-ns-shop-b']);
  });

  it('changes nothing when only the time is new', () => {
    const { index, changed } = createIndex();
    const web = index.addResource(pod('web'));
    put(index, web, () => true, [content('a', 'r', 'pass')]);
    const before = [...index.resultsOf(index.part('shop/polr-ns-shop-a')!)];
    changed.clear();
    expect(put(index, web, () => true, [content('a', 'r', 'pass')])).toBe(false);
    expect(changed.size).toBe(0);
    expect([...index.resultsOf(index.part('shop/polr-ns-shop-a')!)]).toEqual(before);
  });

  it('leaves results of policies out of scope alone', () => {
    const { index } = createIndex();
    const web = index.addResource(pod('web'));
    put(index, web, () => true, [content('a', 'r', 'pass'), content('b', 'r', 'pass')]);
    put(index, web, (policy) => policy === 'a', []);
    expect(index.part('shop/polr-ns-shop-a')).toBeUndefined();
    expect(index.part('shop/polr-ns-shop-b')?.count).toBe(1);
  });

  it('keeps policies apart whose long names differ at the end, and those that only look alike', () => {
    const { index } = createIndex({ targetBytes: 1024 });
    const policies = ['x'.repeat(64), `${'y'.repeat(249)}1`, `${'y'.repeat(249)}2`, 'foo', 'foo-2', 'shop/foo'];
    for (let i = 0; i < 12; i++)
      put(
        index,
        index.addResource(pod(`web-${i}`)),
        () => true,
        policies.map((policy) => content(policy, 'r', 'pass')),
      );
    const found = Object.values(contentsOf(index)).map(
      ({ results }) => new Set(results.map(({ head }) => head.policy)),
    );
    expect(found.every(({ size }) => size === 1)).toBe(true);
    expect(new Set(found.flatMap((one) => [...one]))).toEqual(new Set(policies));
  });

  it('puts all policies into one report when it is configured not to split', () => {
    const { index } = createIndex({ isSplit: false });
    const web = index.addResource(pod('web'));
    const node = index.addResource({ apiVersion: 'v1', kind: 'Node', name: 'one', uid: 'n' });
    for (const resource of [web, node])
      put(index, resource, () => true, [content('a', 'r', 'pass'), content('b', 'r', 'pass')]);
    expect(Object.keys(contentsOf(index))).toEqual(['clusterpolicyreport', 'shop/polr-ns-shop']);
  });

  it('rewrites one part of a divided report when one result changes', () => {
    const { index, changed } = createIndex({ targetBytes: 4096 });
    const pods = Array.from({ length: 200 }, (_, i) => index.addResource(pod(`web-${i}`)));
    for (const one of pods) put(index, one, () => true, [content('a', 'r', 'pass')]);
    const parts = [...index.allParts()].filter(({ count }) => count > 0);
    expect(parts.length).toBeGreaterThan(10);
    for (const part of parts) expect(part.bytes).toBeLessThanOrEqual(4096);
    changed.clear();
    put(index, pods[77]!, () => true, [content('a', 'r', 'fail')]);
    expect(changed.size).toBe(1);
  });

  it('releases everything when the resources are gone', () => {
    const { index } = createIndex({ targetBytes: 2048 });
    const pods = Array.from({ length: 50 }, (_, i) => index.addResource(pod(`web-${i}`)));
    for (const [i, one] of pods.entries()) put(index, one, () => true, [content('a', 'r', 'fail', `message ${i}`)]);
    for (const one of pods) index.removeResource(one, 0);
    expect(index.size).toBe(0);
    expect(index.partCount).toBe(0);
    expect(index.totals).toEqual([0, 0, 0, 0, 0]);
  });

  it('never estimates less than what is written', () => {
    const { index } = createIndex();
    const odd = index.addResource(pod('ünïcode'));
    const awkward = content('a', 'r', 'error', 'quotes " and \u0001 and 🚢\n');
    put(index, odd, () => true, [
      { ...awkward, properties: JSON.stringify({ process: 'background scan', key: 'va"lue' }) },
    ]);
    const part = index.part('shop/polr-ns-shop-a')!;
    const [{ head, resource, seconds, ...rest } = undefined as never] = index.resultsOf(part);
    const written = { ...head, ...rest, timestamp: { seconds, nanos: 0 }, resources: [resource] };
    expect(part.bytes).toBeGreaterThanOrEqual(Buffer.byteLength(JSON.stringify(written)));
    expect(part.bytes).toBeLessThan(Buffer.byteLength(JSON.stringify(written)) + 80);
  });

  const change = fc.record({
    resource: fc.integer({ min: 0, max: 11 }),
    policies: fc.subarray(['a', 'b', 'ns/b']),
    rows: fc.array(
      fc.record({
        policy: fc.constantFrom('a', 'b', 'ns/b'),
        rule: fc.constantFrom('one', 'two'),
        result: fc.constantFrom('pass' as const, 'fail' as const, 'skip' as const),
        message: fc.constantFrom('', 'x'.repeat(300), 'y'.repeat(40)),
      }),
      { maxLength: 4 },
    ),
    isGone: fc.boolean(),
  });

  it('ends in the same state whatever the history was', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), fc.boolean(), fc.nat(), (changes, isSplit, seed) => {
        const { index } = createIndex({ isSplit, targetBytes: 1500 });
        const resources = new Map<number, IndexedResource>();
        const expected = new Map<number, Map<string, ResultContent>>();
        const nameOf = (i: number) => pod(`web-${i}`, i % 3 === 0 ? 'other' : 'shop');
        for (const { resource: i, policies, rows, isGone } of changes) {
          if (isGone) {
            const gone = resources.get(i);
            if (gone) index.removeResource(gone, 0);
            resources.delete(i);
            expected.delete(i);
            continue;
          }
          const resource = resources.get(i) ?? index.addResource(nameOf(i));
          resources.set(i, resource);
          const unique = new Map(
            rows
              .filter(({ policy }) => policies.includes(policy))
              .map((row) => [`${row.policy} ${row.rule}`, content(row.policy, row.rule, row.result, row.message)]),
          );
          put(index, resource, (policy) => policies.includes(policy), [...unique.values()]);
          const kept = [...(expected.get(i) ?? [])].filter(([, { head }]) => !policies.includes(head.policy));
          expected.set(i, new Map([...kept, ...unique]));
        }
        // The same contents, put at once and in another order.
        const { index: fresh } = createIndex({ isSplit, targetBytes: 1500 });
        const order = [...expected].sort(([a], [b]) => ((a * 7 + seed) % 12) - ((b * 7 + seed) % 12));
        for (const [i, rows] of order)
          put(fresh, fresh.addResource(nameOf(i)), () => true, [...rows.values()].reverse());
        expect(contentsOf(index)).toEqual(contentsOf(fresh));
        expect(index.size).toBe([...expected.values()].reduce((sum, rows) => sum + rows.size, 0));
      }),
      { numRuns: 300 },
    );
  });
});
