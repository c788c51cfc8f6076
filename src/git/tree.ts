import { parseCommit } from './commit-object.ts';
import type { TreeChange } from './commit-stream.ts';
import { GitError } from './errors.ts';
import { confinePath } from './path.ts';
import type { Session } from './session.ts';
import { describeEntry, isFolder, isPlainFile, parseTree, type TreeEntry } from './tree-object.ts';

/** A file to write, or to remove where `content` is null. Its path is relative to the configured folder. */
export interface FileChange {
  readonly path: string;
  readonly content: string | Uint8Array | null;
}

const maxFiles = 10_000;
const maxFileBytes = 16 * 1_048_576;

/** The content of the configured folder at the parent of the new commit. */
export class Folder {
  /** Trees that were read, by object name. */
  private readonly trees = new Map<string, Promise<ReadonlyMap<string, TreeEntry>>>();
  private root: Promise<string> | undefined;

  constructor(
    private readonly session: Session,
    private readonly commit: string | undefined,
    private readonly path: string,
  ) {}

  /** The text of a file; undefined when it does not exist. */
  async read(path: string): Promise<string | undefined> {
    const entry = await this.find(confinePath(this.path, path).split('/'));
    if (entry === undefined || !isPlainFile(entry)) return undefined;
    return (await this.session.contentOf(entry.object)).toString('utf8');
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

  /** The changes for the tree: every path checked, and the modes of existing files kept. */
  async check(changes: readonly FileChange[]): Promise<readonly TreeChange[]> {
    if (changes.length > maxFiles) throw new GitError('git-path-refused', `more than ${maxFiles} files in one commit`);
    return Promise.all(
      changes.map(async (change) => {
        const [path, content] = [confinePath(this.path, change.path), bytesOf(change.content)];
        if ((content?.length ?? 0) > maxFileBytes)
          throw new GitError('git-path-refused', `${JSON.stringify(path)} is larger than ${maxFileBytes} bytes`);
        return { path, mode: (await this.checkWay(path))?.mode === '100755' ? '100755' : '100644', content };
      }),
    );
  }

  /**
   * The present file; refuses an entry that is not a plain file, and a path with an entry that is not a plain folder.
   */
  private async checkWay(path: string): Promise<TreeEntry | undefined> {
    const names = path.split('/');
    for (let depth = 1; depth < names.length; depth++) {
      const way = names.slice(0, depth);
      const entry = await this.find(way);
      if (!entry) return undefined;
      if (!isFolder(entry)) throw refuse(way.join('/'), entry, 'folder');
    }
    const entry = await this.find(names);
    if (entry && !isPlainFile(entry)) throw refuse(path, entry, 'file');
    return entry;
  }

  private async find(names: readonly string[]): Promise<TreeEntry | undefined> {
    if (this.commit === undefined) return undefined;
    this.root ??= this.session.contentOf(this.commit).then((content) => parseCommit(content).tree);
    let entry: TreeEntry | undefined = { mode: '40000', object: await this.root };
    for (const name of names) entry = entry && isFolder(entry) ? (await this.tree(entry.object)).get(name) : undefined;
    return entry;
  }

  private tree(object: string): Promise<ReadonlyMap<string, TreeEntry>> {
    const known =
      this.trees.get(object) ?? this.session.contentOf(object).then((content) => parseTree(content, object.length / 2));
    this.trees.set(object, known);
    return known;
  }
}

const bytesOf = (content: FileChange['content']) =>
  typeof content === 'string' ? Buffer.from(content, 'utf8') : content;

const refuse = (path: string, entry: TreeEntry, wanted: string) =>
  new GitError('git-path-refused', `${JSON.stringify(path)} is ${describeEntry(entry)}, not a ${wanted}`);
