/** The parsed content of a commit. */
interface CommitObject {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly timeMs: number;
  readonly message: string;
}

/** Parses a commit as git stores it: header lines, an empty line, the message. */
export function parseCommit(content: Buffer): CommitObject {
  const text = content.toString('utf8');
  const end = text.indexOf('\n\n');
  const head = end === -1 ? text : text.slice(0, end);
  const valuesOf = (key: string) =>
    head.split('\n').flatMap((line) => (line.startsWith(`${key} `) ? [line.slice(key.length + 1)] : []));
  const seconds = /> (\d+) [+-]\d+$/.exec(valuesOf('committer')[0] ?? '')?.[1] ?? '0';
  return {
    tree: valuesOf('tree')[0] ?? '',
    parents: valuesOf('parent'),
    timeMs: Number(seconds) * 1000,
    message: end === -1 ? '' : text.slice(end + 2),
  };
}

/**
 * Values of a trailer: the lines `key: value` of the last paragraph. Git requires the paragraph to consist of little
 * else; this does not, because a cherry-pick or squash may have added text to it.
 */
export function trailersOf(message: string, key: string): readonly string[] {
  const [, ...paragraphs] = message.trimEnd().split(/\n[ \t\r]*\n/);
  const start = `${key.toLowerCase()}:`;
  return (paragraphs.at(-1) ?? '')
    .split('\n')
    .filter((line) => line.toLowerCase().startsWith(start))
    .map((line) => line.slice(start.length).trim())
    .filter((value) => value !== '');
}
