import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { findTests, nodeFiles, runTestFile, type TestRow } from '../../src/offline/index.ts';
import { disturb, expectationsOf, flipResults, withChanges } from './planted.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
/** Expressions see this moment; no case depends on which it is. */
const now = Date.parse('2026-03-01T12:00:00Z');
const files = nodeFiles();
const cases = findTests(files, [folder], 'kyverno-test.yaml').map((file) => ({
  file,
  name: path.relative(folder, path.dirname(file)),
}));

const describeRow = ({ rule, resource, expected, actual, reason }: TestRow) =>
  `${rule} on ${resource}: expected ${expected}, got ${actual}: ${reason}`;

describe('our own conformance cases', () => {
  let rows = 0;

  it.each(cases)('$name', ({ file }) => {
    const results = runTestFile(files, file, now);
    expect(results.filter(({ outcome }) => outcome !== 'passed').map(describeRow)).toEqual([]);
    rows += results.length;
  });

  it('are at least 400 rows', () => expect(rows).toBeGreaterThanOrEqual(400));
});

describe('a wrong expectation', () => {
  it.each(cases)('of a result is reported: every row of $name', ({ file }) => {
    const planted = withChanges(files, new Map([[path.normalize(file), flipResults]]));
    expect(runTestFile(planted, file, now).filter(({ outcome }) => outcome !== 'failed')).toEqual([]);
  });

  const compared = cases.flatMap(({ file, name }) => {
    const named = expectationsOf(files, file).flatMap((row) => row.patchedResources ?? row.generatedResource ?? []);
    return [...new Set(named)].map((object) => ({ file, name, object }));
  });

  it.each(compared)('of an object is reported: $object of $name', ({ file, object }) => {
    const changed = path.normalize(path.join(path.dirname(file), object));
    const rows = runTestFile(withChanges(files, new Map([[changed, disturb]])), file, now);
    const wanted = expectationsOf(files, file).filter(
      (row) => (row.patchedResources ?? row.generatedResource) === object,
    );
    expect(rows.filter(({ outcome }) => outcome === 'failed').length).toBeGreaterThanOrEqual(wanted.length);
  });

  it('was planted in enough places', () => {
    expect(cases.length).toBeGreaterThanOrEqual(20);
    expect(compared.length).toBeGreaterThanOrEqual(8);
  });
});
