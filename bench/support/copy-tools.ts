import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram } from '../../test/support/docker-registry.ts';

const craneVersion = 'v0.22.1';

/** A program that copies images, and how it is asked to. */
export interface CopyTool {
  readonly name: string;
  readonly version: string;
  command(image: string, target: string): { readonly file: string; readonly args: readonly string[] };
}

export const ourCopy = (program: string): CopyTool => ({
  name: 'supercargo',
  version: '',
  command: (image, target) => ({
    file: process.execPath,
    args: [program, 'mirror', image, '--to', target, '--mapping', 'basename', '--no-referrers'],
  }),
});

/** skopeo where it is installed: it is built with libraries of the system. */
export function findSkopeo(): CopyTool | undefined {
  const file = findProgram('skopeo');
  if (file === undefined) return undefined;
  const insecure = ['--src-tls-verify=false', '--dest-tls-verify=false'];
  return {
    name: 'skopeo',
    version: execFileSync(file, ['--version'], { encoding: 'utf8' }).trim().split(' ').at(-1) ?? '',
    command: (image, target) => ({
      file,
      args: ['copy', '-q', ...insecure, `docker://${image}`, `docker://${target}/image:v1`],
    }),
  };
}

/** crane of the version above from the user's cache, where it may be built; otherwise one that is installed. */
export async function findCrane(mayBuild: boolean): Promise<CopyTool | undefined> {
  const cache = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'supercargo', `crane-${craneVersion}`);
  if (mayBuild && !existsSync(join(cache, 'crane'))) {
    mkdirSync(cache, { recursive: true });
    const path = `github.com/google/go-containerregistry/cmd/crane@${craneVersion}`;
    await promisify(execFile)('go', ['install', '-trimpath', path], {
      env: { ...process.env, GOBIN: cache, GOWORK: 'off' },
    }).catch(() => undefined);
  }
  const file = findProgram('crane', [cache]);
  if (file === undefined) return undefined;
  return {
    name: 'crane',
    version: file.startsWith(cache)
      ? craneVersion.slice(1)
      : execFileSync(file, ['version'], { encoding: 'utf8' }).trim(),
    command: (image, target) => ({ file, args: ['copy', '--insecure', image, `${target}/image:v1`] }),
  };
}
