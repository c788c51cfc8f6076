import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { closureOf, parseRecords } from './closure.ts';
import { runCommand } from './command.ts';
import type { Architecture, DebianPackage } from './lock.ts';
import { fetchPackage } from './package-cache.ts';
import { parseTar, type TarEntry } from './tar.ts';

/** What the program runs at run time, what Node is linked with, and what names the distribution for scanners. */
export const rootPackages = ['git', 'openssh-client', 'ca-certificates', 'libstdc++6', 'libatomic1', 'base-files'];

/** Needed only by maintainer scripts and by parts of git that are not used: perl alone is half as large as the rest. */
const excluded: ReadonlySet<string> = new Set([
  'adduser',
  'awk',
  'debconf',
  'git-man',
  'liberror-perl',
  'openssl',
  'passwd',
  'perl',
  'dpkg',
]);

/** The configured sources of this machine, for one architecture, in folders of our own: nothing of the machine changes. */
export interface AptRoot {
  readonly architecture: Architecture;
  readonly options: readonly string[];
}

export async function openAptRoot(folder: string, architecture: Architecture): Promise<AptRoot> {
  const root = join(folder, architecture);
  for (const name of ['state/lists/partial', 'cache/archives/partial'])
    await mkdir(join(root, name), { recursive: true });
  await writeFile(join(root, 'status'), '');
  const settings = {
    'Dir::State': join(root, 'state'),
    'Dir::State::status': join(root, 'status'),
    'Dir::Cache': join(root, 'cache'),
    'APT::Architecture': architecture,
    'APT::Architectures': architecture,
    'Acquire::Languages': 'none',
    'Acquire::Retries': '3',
    // Downloads are written by the user who runs this, into folders that only this user can read.
    'APT::Sandbox::User': 'root',
  };
  const options = Object.entries(settings).flatMap(([key, value]) => ['-o', `${key}=${value}`]);
  await runCommand('apt-get', [...options, '-qq', 'update']);
  return { architecture, options };
}

/** The newest packages of the sources, for a new lock file. */
export const resolvePackages = ({ options }: AptRoot): Promise<readonly DebianPackage[]> =>
  closureOf(rootPackages, excluded, async (names) =>
    parseRecords((await runCommand('apt-cache', [...options, 'show', '--no-all-versions', ...names])).toString()),
  );

export const fetchDebianPackage = (
  cache: string,
  { name, version, sha256 }: DebianPackage,
  root: () => Promise<AptRoot>,
): Promise<string> =>
  fetchPackage(cache, {
    what: `${name} ${version}`,
    sha256,
    download: async (cwd) => {
      // apt refuses to download as root into a folder that its own user cannot enter, with a warning only.
      await chmod(cwd, 0o755);
      const { options } = await root();
      await runCommand('apt-get', [...options, '-qq', 'download', `${name}=${version}`], { cwd }).catch((thrown) => {
        throw new Error(`${name} ${version} is not in the apt sources (npm run image:lock renews the lock)`, {
          cause: thrown,
        });
      });
    },
  });

/** The files of a package, and its control data, which scanners of images read. */
export async function openDebianPackage(file: string): Promise<{ files: readonly TarEntry[]; control: string }> {
  const archive = await runCommand('dpkg-deb', ['--fsys-tarfile', file]);
  const control = await runCommand('dpkg-deb', ['--field', file]);
  return { files: parseTar(archive), control: control.toString() };
}
