import { basename, delimiter, dirname, relative } from 'node:path';

/** What a person types to start this program again: its name where it is on the PATH, else the path to it. */
export function programName(script: string, cwd: string, path: string): string {
  if (path.split(delimiter).includes(dirname(script))) return basename(script);
  const short = relative(cwd, script);
  return short.startsWith('..') || !short.includes('/') ? script : short;
}
