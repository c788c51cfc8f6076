import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TarEntry } from './tar.ts';

export const programFolder = 'opt/supercargo';
export const entryPoint = 'usr/bin/supercargo';

/**
 * The built program. Source maps are for developers, and compiled code is only valid for the Node that compiled it and
 * is not reproducible.
 */
export async function programFiles(root: string): Promise<readonly TarEntry[]> {
  const dist = join(root, 'dist');
  const names = (await readdir(dist, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !/\.(?:map|cache)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(dist.length + 1))
    .sort();
  if (!names.includes('main.cjs')) throw new Error('dist/main.cjs is missing: run npm run build');
  const files = await Promise.all(names.map(async (name) => file(`dist/${name}`, await readFile(join(dist, name)))));
  return [
    ...files,
    file('LICENSE', await readFile(join(root, 'LICENSE'))),
    { type: 'file', path: entryPoint, mode: 0o755, data: Buffer.from(launcher) },
  ];
}

/** Names the interpreter itself: there is no `env` in the image. */
export const launcher = `#!/usr/bin/node\nrequire('/${programFolder}/dist/main.cjs');\n`;

const file = (name: string, data: Uint8Array): TarEntry => ({
  type: 'file',
  path: `${programFolder}/${name}`,
  mode: 0o644,
  data,
});
