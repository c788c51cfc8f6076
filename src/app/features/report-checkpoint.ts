import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ReporterOptions } from '../../report/index.ts';
import type { Config } from '../config.ts';

const digest = (...parts: readonly string[]) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex');
};

/**
 * The file of one installation, and what else its results depend on: this code and these settings. Undefined for the
 * program in its sources, of which this file says nothing.
 */
export function checkpointOf({ installation, report, policies }: Config): ReporterOptions['checkpoint'] {
  const file = fileURLToPath(import.meta.url);
  if (file.endsWith('.ts')) return undefined;
  const folder = report.checkpointDir ?? join(tmpdir(), `supercargo-reports-${process.getuid?.() ?? 'user'}`);
  // The names of all parts of the program are in it, with hashes of their text.
  const code = readFileSync(file, 'utf8');
  const { node, v8, icu = '' } = process.versions;
  return {
    path: join(folder, installation),
    program: digest(code, node, v8, icu, process.arch, JSON.stringify(policies)),
  };
}
