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

test.skipIf(!isThere)(
  'most rules of the public policies that only validate are converted, whatever objects are tried',
  () => {
    let converted = 0;
    for (const policy of policies()) {
      const first = convertPolicy(policy, { samples: 20, seed: 1 });
      const second = convertPolicy(policy, { samples: 20, seed: 20 });
      expect(second.converted.map(({ policy: one }) => one)).toEqual(first.converted.map(({ policy: one }) => one));
      converted += first.converted.length;
    }
    expect(converted).toBeGreaterThanOrEqual(160);
  },
);
