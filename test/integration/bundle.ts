import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

export interface Bundle {
  readonly file: string;
  remove(): void;
}

/** Makes one file of a script beside this one, so that a test can run and kill it without the time a loader takes. */
export async function bundleScript(name: string): Promise<Bundle> {
  const dir = mkdtempSync(path.join(tmpdir(), 'supercargo-script-'));
  const file = path.join(dir, 'script.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL(name, import.meta.url))],
    outfile: file,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
    logLevel: 'error',
  });
  return { file, remove: () => rmSync(dir, { recursive: true, force: true }) };
}
