import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseYamlDocuments } from '../../../src/base/index.ts';
import type { Rule } from '../permissions.ts';

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: readonly Rule[];
  readonly [field: string]: unknown;
}

const folder = fileURLToPath(new URL('../../../manifests/policy-sync/', import.meta.url));

/** Every object of manifests/policy-sync, in the order of files and documents. */
export const manifests: readonly Manifest[] = readdirSync(folder)
  // As kubectl applies a folder.
  .sort()
  .flatMap((file) => parseYamlDocuments(readFileSync(`${folder}${file}`, 'utf8'), { file }))
  .map(({ value }) => value as unknown as Manifest);
