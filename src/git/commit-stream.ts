/** A file change in a tree. Removed where `content` is null. */
export interface TreeChange {
  /** From the root of the repository, checked. */
  readonly path: string;
  readonly mode: string;
  readonly content: Uint8Array | null;
}

interface NewCommit {
  /** The parent commit; undefined for the first commit of a repository. */
  readonly parent: string | undefined;
  /** `Name <address> seconds zone` */
  readonly identity: string;
  readonly message: string;
  readonly changes: readonly TreeChange[];
}

/** Never pushed and never read: git needs a ref for the commit. */
const draftRef = 'refs/supercargo/draft';
export const importArguments = ['fast-import', '--quiet', '--done', '--force'];

/**
 * The input of `git fast-import` for one commit, contents included. It takes one process where writing the tree step by
 * step takes six, which shortens the window in which others push. It prints the parent's tree, the new tree and the new
 * commit, one line each.
 */
export function renderCommitStream({ parent, identity, message, changes }: NewCommit): Buffer {
  const parts: (string | Uint8Array)[] = [];
  if (parent !== undefined) parts.push(`ls ${parent} ""\n`);
  parts.push(`commit ${draftRef}\nmark :1\nauthor ${identity}\ncommitter ${identity}\n`, ...data(message));
  if (parent !== undefined) parts.push(`from ${parent}\n`);
  for (const { path, mode, content } of changes) {
    if (content === null) parts.push(`D ${quote(path)}\n`);
    else parts.push(`M ${mode} inline ${quote(path)}\n`, ...data(content));
  }
  parts.push('ls ""\n\nget-mark :1\ndone\n');
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
}

/** The new commit; undefined when its tree equals the parent's. */
export function parseImportResponse(response: string): string | undefined {
  const lines = response.split('\n').filter((line) => line !== '');
  const commit = lines.pop()!;
  const [before, after] = lines.map((line) => line.split(/[ \t]/)[2]);
  return before !== undefined && before === after ? undefined : commit;
}

function data(content: string | Uint8Array): (string | Uint8Array)[] {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  return [`data ${bytes.length}\n`, bytes, '\n'];
}

const quote = (path: string) => `"${path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
