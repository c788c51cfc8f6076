import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderYaml } from '../base/index.ts';
import type { Files } from '../manifests/index.ts';
import { memoryFiles, parseObjects } from '../manifests/index.ts';
import { type Batch, readBatches } from './batches.ts';

/** Reads the text in pieces of this length. */
function inPieces(text: string, length: number): Files {
  return {
    ...memoryFiles({ 'f.yaml': text }),
    async *stream() {
      for (let at = 0; at < text.length; at += length) yield text.slice(at, at + length);
    },
  };
}

async function batchesOf(text: string, length = 64 * 1024): Promise<readonly Batch[]> {
  const batches: Batch[] = [];
  for await (const batch of readBatches(inPieces(text, length), 'f.yaml')) batches.push(batch);
  return batches;
}

const filler = 'x'.repeat(2000);
const pod = (name: string) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name, annotations: { filler } } });
const names = (batches: readonly Batch[]) =>
  batches.flatMap((batch) => parseObjects(batch).map(({ value }) => value.metadata.name));
const count = 600;
const wanted = Array.from({ length: count }, (_, i) => `pod-${i}`);

describe('a large file of documents', () => {
  const text = wanted.map((name) => `---\n${renderYaml(pod(name))}`).join('');

  it('is split into batches with every document once, in order', async () => {
    const batches = await batchesOf(text);
    expect(batches.length).toBeGreaterThan(3);
    expect(Math.max(...batches.map((batch) => batch.text.length))).toBeLessThan(400 * 1024);
    expect(names(batches)).toEqual(wanted);
  });

  it('is split at the same places wherever the pieces end', async () => {
    for (const length of [1000, 4096, 100_001]) expect(names(await batchesOf(text, length))).toEqual(wanted);
  });

  it('keeps the lines of the file', async () => {
    const lines = text.split('\n');
    for (const { value, line } of (await batchesOf(text)).flatMap((batch) => parseObjects(batch))) {
      expect(lines[line - 1]).toBe('apiVersion: v1');
      expect(lines.slice(line, line + 4).join(' ')).toContain(`name: ${value.metadata.name}`);
    }
  });

  it('is not split inside text that looks like a separator', async () => {
    const block = [
      'apiVersion: v1',
      'kind: ConfigMap',
      'metadata: {name: c}',
      'data:',
      '  text: |',
      '    ---',
      '    a',
    ];
    const tricky = `${block.join('\n')}\n---\n`.repeat(8000);
    expect(names(await batchesOf(tricky))).toEqual(Array(8000).fill('c'));
  });

  it('keeps directives with their document', async () => {
    const tricky = `%YAML 1.2\n---\n${renderYaml(pod('d'))}...\n`.repeat(count);
    expect(names(await batchesOf(tricky))).toEqual(Array(count).fill('d'));
  });
});

describe('a large JSON file', () => {
  const items = wanted.map(pod);

  it.each([
    ['a List, its kind at the end', JSON.stringify({ apiVersion: 'v1', items, kind: 'List', metadata: {} }, null, 4)],
    ['a typed list', JSON.stringify({ kind: 'PodList', apiVersion: 'v1', metadata: { a: [1] }, items })],
    [
      'a typed list whose items leave out their kind',
      JSON.stringify({ kind: 'PodList', apiVersion: 'v1', items: items.map(({ metadata }) => ({ metadata })) }),
    ],
    ['objects one after the other', items.map((item) => JSON.stringify(item)).join('\n')],
  ])('%s comes in batches', async (_, text) => {
    for (const length of [65_536, 999]) {
      const batches = await batchesOf(text, length);
      expect(batches.length).toBeGreaterThan(3);
      expect(names(batches)).toEqual(wanted);
    }
  });

  it('is not confused by brackets, quotes and items in strings', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.json(), { minLength: 1, maxLength: 5 }), async (texts) => {
        const odd = texts.map((data, i) => ({ ...pod(`p${i}`), data: { items: [data], [data]: '"items":[{' } }));
        const all = [...odd, ...items.slice(0, 200)];
        const found = (await batchesOf(JSON.stringify({ items: all }))).flatMap((batch) => parseObjects(batch));
        expect(found.map(({ value }) => value)).toEqual(all);
      }),
      { numRuns: 25 },
    );
  });

  it('that is truncated is rejected with its place', async () => {
    const text = JSON.stringify({ items }, null, 1);
    await expect(batchesOf(text.slice(0, -20))).rejects.toThrow(/^f\.yaml:\d+: the JSON ends before it is whole$/);
  });
});

it('a document without end is rejected before it fills the memory', async () => {
  const endless: Files = {
    ...memoryFiles({}),
    async *stream() {
      for (;;) yield `${' '.repeat(999_999)}\n`;
    },
  };
  const read = async () => {
    for await (const _ of readBatches(endless, 'f.yaml'));
  };
  await expect(read()).rejects.toThrow(/a document longer than \d+ bytes/);
});
