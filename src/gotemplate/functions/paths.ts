import { cleanPath } from '../../base/index.ts';
import { define, type FunctionSpec } from './signature.ts';

/** Slash-separated paths as Go's package `path` takes them; the `os` names mean the same, as on Linux. */
const functions = { base, dir, clean: cleanPath, ext, isAbs: (path: string) => path.startsWith('/') };

export const pathFunctions: readonly FunctionSpec[] = define(
  Object.fromEntries(
    Object.entries(functions).flatMap(([name, work]) => [
      [`${name}(string)`, work],
      [`os${name[0]!.toUpperCase()}${name.slice(1)}(string)`, work],
    ]),
  ),
);

function base(path: string): string {
  if (path === '') return '.';
  const trimmed = path.replace(/\/+$/, '');
  return trimmed === '' ? '/' : trimmed.slice(trimmed.lastIndexOf('/') + 1);
}

function dir(path: string): string {
  return cleanPath(path.slice(0, path.lastIndexOf('/') + 1));
}

function ext(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot === -1 ? '' : name.slice(dot);
}
