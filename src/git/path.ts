import { GitError } from './errors.ts';

const maxPathBytes = 1024;
const maxNameBytes = 255;

/**
 * The path of a file inside the given folder, in git's form. Refuses any path that leads out of the folder or into
 * git's own files.
 */
export function confinePath(folder: string, path: string): string {
  const inside = segmentsOf(path, 'path');
  if (inside.length === 0) throw refuse(path, 'names no file');
  const full = [...segmentsOf(folder, 'folder'), ...inside].join('/');
  if (Buffer.byteLength(full) > maxPathBytes) throw refuse(path, `is longer than ${maxPathBytes} bytes`);
  return full;
}

function segmentsOf(path: string, what: 'path' | 'folder'): string[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused.
  if (/[\0-\x1f\x7f\\]/.test(path)) throw refuse(path, 'has a control character or a backslash in it');
  if (path.startsWith('/') && what === 'path') throw refuse(path, 'is absolute');
  if (path.endsWith('/') && what === 'path') throw refuse(path, 'ends like a folder');
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.');
  for (const segment of segments) {
    if (segment === '..') throw refuse(path, 'leads out of the configured folder');
    if (isGitDirectory(segment)) throw refuse(path, "is one of git's own files");
    if (Buffer.byteLength(segment) > maxNameBytes) throw refuse(path, `has a name longer than ${maxNameBytes} bytes`);
  }
  return segments;
}

/** `.git` in any form that a file system may accept: case, trailing dots, short names, ignored characters. */
function isGitDirectory(segment: string): boolean {
  const plain = segment.replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, '').toLowerCase();
  return /^(?:\.git|git~\d+)[ .]*(?::.*)?$/.test(plain);
}

function refuse(path: string, why: string): GitError {
  return new GitError('git-path-refused', `the path ${JSON.stringify(path.slice(0, 200))} ${why}`);
}
