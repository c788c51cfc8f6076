import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parseYamlDocuments } from '../../src/base/index.ts';
import { convertPolicy } from '../../src/convert/index.ts';
import type { PolicyObject } from '../../src/policy/index.ts';
import { corpusFolder } from './corpus.ts';

const isThere = existsSync(corpusFolder);
if (!isThere) process.stderr.write('conversion of public policies skipped: ../shared/conformance is absent\n');

function policies(): PolicyObject[] {
  const found: PolicyObject[] = [];
  for (const name of readdirSync(corpusFolder, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!/\.ya?ml$/.test(name)) continue;
    for (const { value } of readOrNone(path.join(corpusFolder, name))) {
      const { kind } = value as { readonly kind?: unknown };
      if (kind === 'ClusterPolicy' || kind === 'Policy') found.push(value as unknown as PolicyObject);
    }
  }
  return found;
}

/** Some files of the collection are wrong on purpose. */
function readOrNone(file: string) {
  try {
    return parseYamlDocuments(readFileSync(file, 'utf8'), { file }).filter(
      ({ value }) => typeof value === 'object' && value !== null,
    );
  } catch {
    return [];
  }
}

test.skipIf(!isThere)('most rules of the public policies are converted, whatever objects are tried', () => {
  const converted = { validate: 0, mutate: 0, generate: 0 };
  for (const policy of policies()) {
    // Which form of a mutation is the right one shows on few objects.
    const samples = (policy.spec.rules ?? []).some(({ mutate, generate }) => mutate ?? generate) ? 300 : 20;
    const first = convertPolicy(policy, { samples, seed: 1 });
    const second = convertPolicy(policy, { samples, seed: 20 });
    expect(second.converted.map(({ policy: one }) => one)).toEqual(first.converted.map(({ policy: one }) => one));
    for (const { phase } of first.converted) converted[phase]++;
  }
  expect(converted.validate).toBeGreaterThanOrEqual(160);
  // Of 46 and 14.
  expect(converted.mutate).toBeGreaterThanOrEqual(36);
  expect(converted.generate).toBeGreaterThanOrEqual(13);
});
