import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const shared = fileURLToPath(new URL('../../../shared/conformance/', import.meta.url));

/** Kyverno's public test files, where they lie beside the project. */
export const corpusFolder = path.join(shared, 'kyverno');
export const catalogueFile = path.join(shared, 'kyverno-catalogue.json');

/** What the catalogue says of one test file. */
export interface CatalogueEntry {
  readonly path: string;
  readonly class: string;
  readonly rows: number;
  readonly rule_types: readonly string[];
}

export function readCatalogue(): readonly CatalogueEntry[] {
  return JSON.parse(readFileSync(catalogueFile, 'utf8')) as readonly CatalogueEntry[];
}

/** ClusterPolicies and Policies: what must pass row by row. */
export function isClassic(entry: CatalogueEntry): boolean {
  return entry.class === 'classic';
}
