import type { TarEntry } from './tar.ts';

/** User and group of the program, also in the manifests of an installation. */
export const userId = 65_532;

interface OpenedPackage {
  readonly name: string;
  readonly files: readonly TarEntry[];
  readonly control: string;
}

/** Debian's packages still name the folders that its installer has merged into /usr. */
const mergedFolders = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'];

/** Neither the program nor a scanner reads these. */
const unused = [
  'usr/share/man/',
  'usr/share/locale/',
  'usr/share/bash-completion/',
  'usr/share/lintian/',
  'usr/share/bug/',
  'usr/share/gitweb/',
  'usr/share/git-core/templates/hooks/',
  'usr/share/git-core/contrib/',
  'usr/share/perl5/',
  'usr/share/base-files/',
  'usr/lib/x86_64-linux-gnu/gconv/',
  'usr/lib/aarch64-linux-gnu/gconv/',
  'usr/lib/x86_64-linux-gnu/perl',
  'usr/lib/systemd/',
  'etc/init.d/',
  'var/',
];
const isDocumentation = (path: string) => path.startsWith('usr/share/doc/') && !path.endsWith('/copyright');
const isUnused = (path: string) =>
  isDocumentation(path) || unused.some((start) => `${path}/`.startsWith(start)) || path === 'tmp' || path === 'root';

/** The root file system without the program: files of the packages in one /usr, and what their scripts would write. */
export function rootFiles(packages: readonly OpenedPackage[]): readonly TarEntry[] {
  const all = packages
    .flatMap(({ files }) => files)
    .map((entry) => ({ ...entry, path: mergedPath(entry.path) }))
    .filter(({ path }) => !mergedFolders.includes(path));
  const kept = all.filter(({ path, type }) => type !== 'folder' && !isUnused(path)).map(withoutSetId);
  return [
    ...kept,
    ...mergedFolders
      .filter((name) => kept.some(({ path }) => path.startsWith(`usr/${name}/`)))
      .map((name): TarEntry => ({ type: 'link', path: name, target: `usr/${name}` })),
    ...packages.map(({ name, control }) => file(`var/lib/dpkg/status.d/${name}`, control)),
    certificateBundle(kept),
    file(
      'etc/passwd',
      `root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:${userId}:${userId}:nonroot:/tmp:/sbin/nologin\n`,
    ),
    file('etc/group', `root:x:0:\nnonroot:x:${userId}:\n`),
    file('etc/nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files dns\n'),
    { type: 'folder', path: 'tmp', mode: 0o1777 },
  ];
}

/** The merged place of a path: `lib/x` is `usr/lib/x`. */
function mergedPath(path: string): string {
  const [first = ''] = path.split('/', 1);
  return mergedFolders.includes(first) && path !== first ? `usr/${path}` : path;
}

/** No program of the image gains rights: set-user-ID and set-group-ID bits are removed. */
const withoutSetId = (entry: TarEntry): TarEntry =>
  entry.type === 'file' ? { ...entry, mode: entry.mode & 0o777 } : entry;

/** All authorities in one file, where git looks for them; `update-ca-certificates` writes the same file. */
function certificateBundle(entries: readonly TarEntry[]): TarEntry {
  const certificates = entries
    .filter((entry) => entry.type === 'file')
    .filter(({ path }) => path.startsWith('usr/share/ca-certificates/') && path.endsWith('.crt'))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  if (certificates.length === 0) throw new Error('the packages have no certificate authorities');
  return file(
    'etc/ssl/certs/ca-certificates.crt',
    certificates.map(({ data }) => `${Buffer.from(data).toString('latin1').trimEnd()}\n`).join(''),
  );
}

const file = (path: string, text: string): TarEntry => ({ type: 'file', path, mode: 0o644, data: Buffer.from(text) });
