import { basename, delimiter, dirname, relative } from 'node:path';

/** The command that starts this program again: its name if it is on the PATH, otherwise its path. */
export function programName(script: string, cwd: string, path: string): string {
  if (path.split(delimiter).includes(dirname(script))) return basename(script);
  const short = relative(cwd, script);
  return short.startsWith('..') || !short.includes('/') ? script : short;
}
