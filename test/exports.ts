import { dirname, join, normalize, sep } from 'node:path';
import type { SourceFile } from './architecture.ts';

/** An exported name that no other file imports. */
export interface UnusedExport {
  readonly file: string;
  readonly name: string;
}

const declaration =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|let|class|interface|type|enum) (\w+)/gm;
const named = /^(import|export)\s+(?:type\s+)?(?:\w+\s*,\s*)?\{([^}]*)\}(?:\s*from\s*['"](\.[^'"]+)['"])?/gm;
const wholeModule =
  /^(?:import\s+(?:type\s+)?|export\s+)\*(?:\s+as\s+\w+)?\s+from\s*['"](\.[^'"]+)['"]|import\(\s*['"](\.[^'"]+)['"]\s*\)/gm;

/** The names of a list such as `a, type B as C`: those before `as` (inner) or those after it (outer). */
function namesIn(list: string, part: 'outer' | 'inner'): string[] {
  return list
    .replace(/\/\/.*$/gm, '')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .split(',')
    .map((item) => item.trim().replace(/^type\s+/, ''))
    .filter(Boolean)
    .map((item) => item.split(/\s+as\s+/).at(part === 'inner' ? 0 : -1)!);
}

const resolve = (from: string, target: string) =>
  normalize(join(dirname(from), target))
    .split(sep)
    .join('/');

function exportsOf({ text }: SourceFile): string[] {
  const names = [...text.matchAll(declaration)].map((found) => found[1]!);
  for (const [, keyword, list] of text.matchAll(named)) {
    if (keyword === 'export') names.push(...namesIn(list!, 'outer'));
  }
  return names;
}

/**
 * Exports of `files` that neither they nor `users` import. Paths of both are relative to one root. A namespace import and a
 * dynamic import use every export of the module.
 */
export function findUnusedExports(files: readonly SourceFile[], users: readonly SourceFile[]): UnusedExport[] {
  const used = new Set<string>();
  const usedWhole = new Set<string>();
  for (const { path, text } of [...files, ...users]) {
    for (const [, , list, target] of text.matchAll(named)) {
      if (target) for (const name of namesIn(list!, 'inner')) used.add(`${resolve(path, target)} ${name}`);
    }
    for (const [, first, second] of text.matchAll(wholeModule)) usedWhole.add(resolve(path, (first ?? second)!));
  }
  return files
    .filter(({ path }) => !usedWhole.has(path))
    .flatMap((file) => exportsOf(file).map((name) => ({ file: file.path, name })))
    .filter(({ file, name }) => !used.has(`${file} ${name}`));
}
