/**
 * Tar archives of a fixed form: entries sorted by path, one time, owner 0:0, no field that depends on the machine. Equal
 * files give equal bytes.
 */
export type TarEntry =
  | { readonly type: 'file'; readonly path: string; readonly mode: number; readonly data: Uint8Array }
  | { readonly type: 'folder'; readonly path: string; readonly mode: number; readonly owner?: number }
  | { readonly type: 'link'; readonly path: string; readonly target: string };

const blockBytes = 512;
const typeFlags = { file: '0', link: '2', folder: '5' } as const;

/** An archive of the entries and of the folders that contain them. Paths are relative, without a leading slash. */
export function renderTar(entries: readonly TarEntry[]): Buffer {
  const byPath = new Map<string, TarEntry>();
  for (const entry of entries) {
    for (const folder of parentsOf(entry.path))
      if (!byPath.has(folder)) byPath.set(folder, { type: 'folder', path: folder, mode: 0o755 });
    byPath.set(entry.path, entry);
  }
  const sorted = [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  return Buffer.concat([...sorted.flatMap(renderEntry), Buffer.alloc(blockBytes * 2)]);
}

function parentsOf(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, i) => parts.slice(0, i + 1).join('/'));
}

function renderEntry(entry: TarEntry): readonly Buffer[] {
  const path = entry.type === 'folder' ? `${entry.path}/` : entry.path;
  const target = entry.type === 'link' ? entry.target : '';
  const data = entry.type === 'file' ? Buffer.from(entry.data) : Buffer.alloc(0);
  const long = [
    ...(Buffer.byteLength(path) > 100 ? [['path', path] as const] : []),
    ...(Buffer.byteLength(target) > 100 ? [['linkpath', target] as const] : []),
  ];
  const extended = long.length === 0 ? [] : extendedHeader(long);
  const owner = entry.type === 'folder' ? (entry.owner ?? 0) : 0;
  const mode = entry.type === 'link' ? 0o777 : entry.mode;
  const head = header({ path, target, mode, owner, size: data.length, flag: typeFlags[entry.type] });
  return [...extended, head, ...padded(data)];
}

/** The records of a pax header (POSIX.1-2001): each starts with its own length. */
function extendedHeader(values: readonly (readonly [string, string])[]): readonly Buffer[] {
  const data = Buffer.concat(values.map(([key, value]) => paxRecord(key, value)));
  return [header({ path: 'pax', target: '', mode: 0o644, owner: 0, size: data.length, flag: 'x' }), ...padded(data)];
}

function paxRecord(key: string, value: string): Buffer {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest;
  while (length !== rest + String(length).length) length = rest + String(length).length;
  return Buffer.from(`${length} ${key}=${value}\n`);
}

interface Header {
  readonly path: string;
  readonly target: string;
  readonly mode: number;
  readonly owner: number;
  readonly size: number;
  readonly flag: string;
}

function header({ path, target, mode, owner, size, flag }: Header): Buffer {
  const block = Buffer.alloc(blockBytes);
  const octal = (value: number, at: number, length: number) =>
    block.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1');
  block.set(Buffer.from(path).subarray(0, 100), 0);
  octal(mode, 100, 8);
  octal(owner, 108, 8);
  octal(owner, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  block.write('        ', 148, 'latin1');
  block.write(flag, 156, 'latin1');
  block.set(Buffer.from(target).subarray(0, 100), 157);
  block.write('ustar\u000000', 257, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

const padded = (data: Buffer): readonly Buffer[] => [
  data,
  Buffer.alloc((blockBytes - (data.length % blockBytes)) % blockBytes),
];

/** The files, folders and symbolic links of an archive; hard links become files of their own. */
export function parseTar(archive: Uint8Array): readonly TarEntry[] {
  const bytes = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength);
  const entries: TarEntry[] = [];
  const files = new Map<string, Extract<TarEntry, { type: 'file' }>>();
  let long: { path?: string; linkpath?: string } = {};
  for (let at = 0; at + blockBytes <= bytes.length; ) {
    const block = bytes.subarray(at, at + blockBytes);
    if (block[0] === 0) break;
    const size = Number.parseInt(text(block, 124, 12), 8) || 0;
    const data = bytes.subarray(at + blockBytes, at + blockBytes + size);
    if (data.length < size) throw new Error('the tar archive is cut off');
    at += blockBytes + Math.ceil(size / blockBytes) * blockBytes;
    const flag = text(block, 156, 1) || '0';
    if (flag === 'x') long = { ...long, ...parsePax(data) };
    else if (flag === 'L') long = { ...long, path: text(data, 0, size) };
    else if (flag === 'K') long = { ...long, linkpath: text(data, 0, size) };
    else {
      const prefix = text(block, 257, 6) === 'ustar' ? text(block, 345, 155) : '';
      const name = long.path ?? (prefix ? `${prefix}/` : '') + text(block, 0, 100);
      const path = name.replace(/^(\.?\/)+/, '').replace(/\/+$/, '');
      const target = long.linkpath ?? text(block, 157, 100);
      long = {};
      if (path === '' || path === '.') continue;
      const mode = Number.parseInt(text(block, 100, 8), 8) & 0o7777;
      if (flag === '5') entries.push({ type: 'folder', path, mode });
      else if (flag === '2') entries.push({ type: 'link', path, target });
      else if (flag === '0' || flag === '1') {
        const linked = flag === '1' ? files.get(target.replace(/^(\.?\/)+/, '')) : undefined;
        if (flag === '1' && !linked) throw new Error(`${path} is linked to ${target}, which is not in the archive`);
        const file = { type: 'file', path, mode: linked?.mode ?? mode, data: linked?.data ?? data } as const;
        files.set(path, file);
        entries.push(file);
      } else throw new Error(`${path} has the type ${JSON.stringify(flag)}, which an image does not need`);
    }
  }
  return entries;
}

function text(block: Buffer, at: number, length: number): string {
  const field = block.subarray(at, at + length);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end < 0 ? field.length : end).trim();
}

function parsePax(data: Buffer): { path?: string; linkpath?: string } {
  const found: { path?: string; linkpath?: string } = {};
  for (let at = 0; at < data.length; ) {
    const space = data.indexOf(0x20, at);
    const length = Number.parseInt(data.toString('latin1', at, space), 10);
    if (space < 0 || !(length > 0)) throw new Error('a pax header of the tar archive is malformed');
    const record = data.toString('utf8', space + 1, at + length - 1);
    const equals = record.indexOf('=');
    const key = record.slice(0, equals);
    if (key === 'path' || key === 'linkpath') found[key] = record.slice(equals + 1);
    at += length;
  }
  return found;
}
