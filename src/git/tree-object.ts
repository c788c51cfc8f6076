/** One entry of a tree. */
export interface TreeEntry {
  readonly mode: string;
  readonly object: string;
}

export const isFolder = ({ mode }: TreeEntry) => mode === '40000';
export const isPlainFile = ({ mode }: TreeEntry) => mode.startsWith('100');

/** Parses a tree as git stores it: `mode name`, a zero byte, and the hash, whose length depends on the repository. */
export function parseTree(content: Buffer, hashBytes: number): ReadonlyMap<string, TreeEntry> {
  const entries = new Map<string, TreeEntry>();
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(0x20, at);
    const end = content.indexOf(0, space);
    const name = content.toString('utf8', space + 1, end);
    const object = content.toString('hex', end + 1, end + 1 + hashBytes);
    // Old programs wrote a leading zero in the mode of a directory.
    entries.set(name, { mode: content.toString('latin1', at, space).replace(/^0+/, ''), object });
    at = end + 1 + hashBytes;
  }
  return entries;
}

/** Describes an unexpected entry in error messages. */
export function describeEntry(entry: TreeEntry): string {
  if (isFolder(entry)) return 'a folder';
  if (isPlainFile(entry)) return 'a file';
  return entry.mode === '120000' ? 'a symbolic link' : 'a submodule';
}
