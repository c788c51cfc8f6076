import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage, renderYaml, UsageError } from '../base/index.ts';
import type { KubeObject } from '../object/index.ts';

/** Writes objects into a folder, one file each. */
export interface OutputFolder {
  readonly written: number;
  write(object: KubeObject): Promise<void>;
}

/** Creates the folder. An existing file is replaced; two objects of one run never share a file. */
export async function openOutputFolder(path: string): Promise<OutputFolder> {
  const attempt = async (work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (thrown) {
      throw new UsageError('offline-unwritable', `cannot write to ${path}: ${errorMessage(thrown)}`);
    }
  };
  await attempt(() => mkdir(path, { recursive: true }));
  const taken = new Map<string, number>();
  let written = 0;
  return {
    get written() {
      return written;
    },
    async write(object) {
      const name = fileName(object);
      const count = (taken.get(name) ?? 0) + 1;
      taken.set(name, count);
      written++;
      await attempt(() => writeFile(join(path, `${name}${count > 1 ? `-${count}` : ''}.yaml`), renderYaml(object)));
    },
  };
}

/** `pod-default-web`; characters that are not allowed in file names are replaced. */
function fileName({ kind, metadata: { namespace, name, generateName } }: KubeObject): string {
  return [kind.toLowerCase(), namespace, name ?? generateName]
    .filter((part) => part !== undefined && part !== '')
    .join('-')
    .replaceAll(/[^A-Za-z0-9._-]/g, '_')
    .slice(0, 200);
}
