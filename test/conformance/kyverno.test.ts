/** Kyverno's own public test files, row by row, with our strict runner. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { nodeFiles, runTestFile, type TestRow } from '../../src/offline/index.ts';
import { type CatalogueEntry, catalogueFile, corpusFolder, isClassic, readCatalogue } from './corpus.ts';

const exists = existsSync(catalogueFile);
if (!exists) console.log(`Kyverno's test files are not beside the project (${corpusFolder}): skipped`);

const now = Date.now();

function rowsOf({ path: file }: CatalogueEntry): readonly TestRow[] {
  return runTestFile(nodeFiles(), path.join(corpusFolder, file), now);
}

const show = ({ policy, rule, resource, expected, actual, reason }: TestRow) =>
  `${policy}/${rule} on ${resource}: expected ${expected}, got ${actual}: ${reason}`;

describe.skipIf(!exists)("Kyverno's test files", () => {
  const catalogue = exists ? readCatalogue() : [];
  it.each(catalogue.map((entry) => [entry.path, entry] as const))('every row passes in %s', (_, entry) => {
    const rows = rowsOf(entry);
    expect(rows.filter(({ outcome }) => outcome !== 'passed').map(show)).toEqual([]);
    // As many as the catalogue counts, which was made with another reader: no row is left out.
    expect(rows.length).toBeGreaterThanOrEqual(entry.rows);
  });

  it('none is missing, of policies with CEL and of others', () => {
    const rowsIn = (entries: readonly CatalogueEntry[]) => entries.reduce((sum, { rows }) => sum + rows, 0);
    const withCel = catalogue.filter(
      (entry) => !isClassic(entry) || entry.rule_types.some((type) => type.startsWith('validate.cel')),
    );
    // Two rows of files with both are about policies without CEL.
    expect([rowsIn(catalogue), rowsIn(withCel)]).toEqual([3015, 1760 + 2]);
  });
});
