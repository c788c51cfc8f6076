import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** Watch → queue → evaluate → index → write. */
const stages = [
  ['scanner', 'kind-watch'],
  ['pending-objects'],
  ['object-evaluator', 'evaluate-object'],
  ['result-index'],
  ['report-changes'],
  ['report-writer', 'own-reports', 'comparisons', 'write-lanes'],
];

function importsOf(file: string): readonly string[] {
  const code = readFileSync(join(import.meta.dirname, `${file}.ts`), 'utf8');
  // Type imports are allowed from any stage.
  return [...code.matchAll(/^import (?!type )[^;]*from '\.\/([\w-]+)\.ts'/gm)].map(([, name]) => name!);
}

it.each(stages.flatMap((files, stage) => files.map((file) => [file, stage] as const)))(
  'stage %s imports no earlier stage',
  (file, stage) => {
    const earlier = new Set(stages.slice(0, stage).flat());
    expect(importsOf(file).filter((name) => earlier.has(name))).toEqual([]);
  },
);
