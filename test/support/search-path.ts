import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** The program that a shell would run by this name; undefined when there is none. */
export async function findOnPath(name: string): Promise<string | undefined> {
  for (const dir of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(dir, name);
    if (dir !== '' && (await isExecutable(path))) return path;
  }
  return undefined;
}

export const isExecutable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
