import type { TreeChange } from './commit-stream.ts';
import { GitError } from './errors.ts';
import { confinePath } from './path.ts';
import type { Session } from './session.ts';

/** A file to be written, or removed where `content` is null; its path is relative to the configured folder. */
export interface FileChange {
  readonly path: string;
  readonly content: string | Uint8Array | null;
}

interface Entry {
  readonly mode: string;
  readonly type: string;
  readonly object: string;
}

const maxFiles = 10_000;
const pathsAtOnce = 200;
const maxFileBytes = 16 * 1_048_576;

/** What the configured folder holds at the commit that a change will stand on. */
export class Folder {
  constructor(
    private readonly session: Session,
    private readonly commit: string | undefined,
    private readonly path: string,
  ) {}

  /** The text of a file; undefined when there is none. */
  async read(path: string): Promise<string | undefined> {
    const entry = await this.entry(confinePath(this.path, path));
    if (entry?.type !== 'blob' || entry.mode === '120000') return undefined;
    return this.session.text('reading a file', ['cat-file', 'blob', entry.object]);
  }

  /** Looks at many paths at once, before they are read or written one by one: others push while we look. */
  async prefetch(paths: readonly string[]): Promise<void> {
    await this.look(paths.map((path) => confinePath(this.path, path)));
  }

  /** Paths of all files, relative to the folder. */
  async list(): Promise<readonly string[]> {
    if (this.commit === undefined) return [];
    const prefix = confinePath(this.path, 'x').slice(0, -1);
    const args = ['ls-tree', '-r', '-z', '--name-only', this.commit, ...(prefix === '' ? [] : ['--', prefix])];
    const listed = await this.session.git('listing files', args);
    return listed
      .split('\0')
      .filter((path) => path !== '')
      .map((path) => path.slice(prefix.length));
  }

  /** The changes as they go into the tree: every way checked, and modes of files that are there kept. */
  async check(changes: readonly FileChange[]): Promise<readonly TreeChange[]> {
    if (changes.length > maxFiles) throw new GitError('git-path-refused', `more than ${maxFiles} files in one commit`);
    const files = changes.map(({ path, content }) => ({
      path: confinePath(this.path, path),
      content: bytesOf(content),
    }));
    await this.look(files.map(({ path }) => path));
    const checked: TreeChange[] = [];
    for (const { path, content } of files) {
      if ((content?.length ?? 0) > maxFileBytes)
        throw new GitError('git-path-refused', `${JSON.stringify(path)} is larger than ${maxFileBytes} bytes`);
      const mode = (await this.checkWay(path))?.mode === '100755' ? '100755' : '100644';
      checked.push({ path, mode, content });
    }
    return checked;
  }

  /** The file that is there now; refuses what is no plain file, and any way to it that is no plain folder. */
  private async checkWay(path: string): Promise<Entry | undefined> {
    const names = path.split('/');
    for (let depth = 1; depth < names.length; depth++) {
      const folder = names.slice(0, depth).join('/');
      const entry = await this.entry(folder);
      if (!entry) return undefined;
      if (entry.type !== 'tree')
        throw new GitError('git-path-refused', `${JSON.stringify(folder)} is ${describe(entry)}, not a folder`);
    }
    const entry = await this.entry(path);
    if (entry && (entry.type !== 'blob' || entry.mode === '120000')) {
      throw new GitError('git-path-refused', `${JSON.stringify(path)} is ${describe(entry)}, not a file`);
    }
    return entry;
  }

  private readonly entries = new Map<string, Entry | undefined>();

  private async entry(path: string): Promise<Entry | undefined> {
    if (!this.entries.has(path)) await this.look([path]);
    return this.entries.get(path);
  }

  /** What stands at the paths and on the way to each. */
  private async look(paths: readonly string[]): Promise<void> {
    if (this.commit === undefined) return;
    // Not recursively: of each folder on the way its own entries are enough.
    const unknown = [...new Set(paths.flatMap(waysTo))].filter((path) => !this.entries.has(path));
    for (let i = 0; i < unknown.length; i += pathsAtOnce) {
      const some = unknown.slice(i, i + pathsAtOnce);
      const args = ['--literal-pathspecs', 'ls-tree', '-t', '-z', this.commit, '--', ...some];
      const listed = await this.session.git('looking at a path', args);
      for (const line of listed.split('\0')) {
        const found = /^(\d+) (\w+) ([0-9a-f]+)\t(.*)$/s.exec(line);
        if (found) this.entries.set(found[4]!, { mode: found[1]!, type: found[2]!, object: found[3]! });
      }
      for (const path of some) if (!this.entries.has(path)) this.entries.set(path, undefined);
    }
  }
}

const bytesOf = (content: FileChange['content']) =>
  typeof content === 'string' ? Buffer.from(content, 'utf8') : content;

/** `a/b/c` → `a`, `a/b`, `a/b/c`. */
function waysTo(path: string): string[] {
  const names = path.split('/');
  return names.map((_, i) => names.slice(0, i + 1).join('/'));
}

const describe = ({ mode, type }: Entry) =>
  mode === '120000' ? 'a symbolic link' : mode === '160000' ? 'a submodule' : type === 'tree' ? 'a folder' : 'a file';
