import { close, open, read, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { errorCode, errorMessage, UsageError } from '../base/index.ts';

/** The source of manifests; injected, so that loaders can be tested without a disk. */
export interface Files {
  /** The whole text of a file, or of standard input for `-`. */
  read(path: string): string;
  /** The same text in pieces; the reader decides how much it keeps. */
  stream(path: string): AsyncIterable<string>;
  /** The number of bytes to read; undefined if it is unknown before the end. */
  size(path: string): number | undefined;
  isDirectory(path: string): boolean;
  /** Names in a folder, sorted. */
  list(path: string): readonly { readonly name: string; readonly isDirectory: boolean }[];
}

const manifestName = /\.(ya?ml|json)$/;

/** The files of this machine. Standard input can be read once. */
export function nodeFiles(): Files {
  let standardInput: string | undefined;
  return {
    read(path) {
      if (path !== '-') return attempt(path, () => readFileSync(path, 'utf8'));
      standardInput ??= attempt('standard input', () => readFileSync(0, 'utf8'));
      return standardInput;
    },
    async *stream(path) {
      const input = path === '-' ? process.stdin.setEncoding('utf8') : piecesOf(path);
      try {
        for await (const piece of input) yield piece as string;
      } catch (thrown) {
        unreadable(path === '-' ? 'standard input' : path, thrown);
      }
    },
    size: (path) => (path === '-' ? undefined : attempt(path, () => statSync(path).size)),
    isDirectory: (path) => path !== '-' && attempt(path, () => statSync(path).isDirectory()),
    list: (path) =>
      attempt(path, () =>
        readdirSync(path, { withFileTypes: true })
          .map((entry) => ({
            name: entry.name,
            isDirectory: entry.isDirectory() || (entry.isSymbolicLink() && isFolder(join(path, entry.name))),
          }))
          .sort((a, b) => (a.name < b.name ? -1 : 1)),
      ),
  };
}

const pieceBytes = 256 * 1024;

/** As a ReadStream would give it, whose modules take longer to load than a manifest takes to read. */
async function* piecesOf(path: string): AsyncGenerator<string> {
  const file = await new Promise<number>((resolve, reject) => {
    open(path, (error, opened) => (error ? reject(error) : resolve(opened)));
  });
  try {
    const [buffer, decoder] = [Buffer.allocUnsafe(pieceBytes), new StringDecoder('utf8')];
    for (;;) {
      const bytes = await new Promise<number>((resolve, reject) => {
        read(file, buffer, 0, pieceBytes, null, (error, count) => (error ? reject(error) : resolve(count)));
      });
      if (bytes === 0) break;
      yield decoder.write(buffer.subarray(0, bytes));
    }
    yield decoder.end();
  } finally {
    close(file);
  }
}

/** Files in memory by path, for examples and tests. `-` is standard input. */
export function memoryFiles(texts: Readonly<Record<string, string>>): Files {
  const read = (path: string) => {
    const text = texts[path];
    return text ?? unreadable(path, { code: 'ENOENT' });
  };
  const below = (folder: string) => Object.keys(texts).filter((path) => path.startsWith(`${folder}/`));
  return {
    read,
    async *stream(path) {
      yield read(path);
    },
    size: (path) => (path === '-' ? undefined : read(path).length),
    isDirectory: (path) => {
      if (path in texts) return false;
      return below(path).length > 0 || unreadable(path, { code: 'ENOENT' });
    },
    list(path) {
      const names = below(path).map((full) => full.slice(path.length + 1).split('/'));
      const isDirectory = new Map(names.map(([name = '', ...rest]) => [name, rest.length > 0]));
      return [...isDirectory].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, is]) => ({ name, isDirectory: is }));
    },
  };
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function attempt<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    return unreadable(path, thrown);
  }
}

function unreadable(path: string, thrown: unknown): never {
  const why = errorCode(thrown) === 'ENOENT' ? 'there is no such file or folder' : errorMessage(thrown);
  throw new UsageError('offline-unreadable', `cannot read ${path}: ${why}`);
}

/** The path itself, or every manifest in the folder and its subfolders; hidden files are skipped. */
export function* manifestFiles(files: Files, path: string): Generator<string> {
  if (!files.isDirectory(path)) {
    yield path;
    return;
  }
  for (const { name, isDirectory } of files.list(path)) {
    if (name.startsWith('.')) continue;
    const full = join(path, name);
    if (isDirectory) yield* manifestFiles(files, full);
    else if (manifestName.test(name)) yield full;
  }
}

/** Every file of this name in the folder and its subfolders. */
export function* filesNamed(files: Files, folder: string, wanted: string): Generator<string> {
  for (const { name, isDirectory } of files.list(folder)) {
    const full = join(folder, name);
    if (isDirectory) yield* filesNamed(files, full, wanted);
    else if (name === wanted) yield full;
  }
}
