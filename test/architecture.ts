import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative, sep } from 'node:path';

/** Which folders of src each folder may import. A folder that is not listed may not exist. */
export type Rules = Readonly<Record<string, readonly string[]>>;

const pure = ['base', 'object', 'schema', 'jmespath', 'cel', 'mutation', 'gotemplate', 'image'];
const shared = [
  ...pure,
  'api',
  'policy',
  'kube',
  'registry',
  'git',
  'controller',
  'runtime',
  'webhook',
  'inventory',
  'insights',
];
const features = [
  'admission',
  'generate',
  'mirror',
  'detect',
  'create',
  'report',
  'cleanup',
  'sync',
  'jobs',
  'dashboard',
];

export const rules: Rules = {
  base: [],
  object: ['base'],
  schema: ['base', 'object'],
  mutation: ['base', 'object', 'schema', 'cel'],
  // Quantities and durations are data of `object`; the dialect calculates with them.
  jmespath: ['base', 'object'],
  cel: ['base', 'object'],
  gotemplate: ['base'],
  image: ['base'],
  api: pure,
  policy: [...pure, 'api'],
  kube: ['base', 'object'],
  registry: ['base', 'image'],
  git: ['base'],
  controller: ['base', 'object', 'kube'],
  runtime: [...pure, 'api', 'policy', 'kube', 'registry', 'controller'],
  webhook: [...pure, 'api', 'policy', 'kube', 'controller'],
  inventory: [...pure, 'api', 'kube', 'controller'],
  insights: [...pure, 'api'],
  convert: ['base', 'object', 'schema', 'jmespath', 'policy'],
  manifests: ['base', 'object'],
  offline: [...pure, 'api', 'policy', 'runtime', 'manifests'],
  // Independent implementations, so that each tests the client: never `kube`, never `registry`.
  apiserver: ['base', 'object', 'schema', 'cel', 'mutation'],
  registryserver: ['base', 'image'],
  ...Object.fromEntries(features.map((feature) => [feature, shared])),
  app: [...shared, ...features, 'manifests', 'offline', 'convert', 'apiserver', 'registryserver'],
  cli: ['app', 'api', 'base'],
  main: ['cli', 'base'],
};

export interface SourceFile {
  /** Relative to src, with forward slashes: `kube/client.ts`. */
  readonly path: string;
  readonly text: string;
}

export interface Violation {
  readonly file: string;
  readonly imported: string;
  readonly why: string;
}

const importPattern =
  /(?:^|[\s;])(?:import|export)\s[^'"`;]*?from\s*['"](\.[^'"]+)['"]|import\(\s*['"](\.[^'"]+)['"]\s*\)|^import\s*['"](\.[^'"]+)['"]/gm;

function importsOf({ path, text }: SourceFile): string[] {
  return [...text.matchAll(importPattern)].map((found) => {
    const target = (found[1] ?? found[2] ?? found[3])!;
    return normalize(join(dirname(path), target))
      .split(sep)
      .join('/');
  });
}

const folderOf = (path: string) => (path.includes('/') ? path.slice(0, path.indexOf('/')) : path.replace(/\.ts$/, ''));
export const isTest = (path: string) => /\.test(ing)?\.ts$|\/testing\/|\/cases\//.test(path);

/** Every import of the program (tests aside) that points the wrong way or past a folder's public API. */
export function checkArchitecture(files: readonly SourceFile[], allowed: Rules = rules): Violation[] {
  const violations: Violation[] = [];
  for (const file of files.filter(({ path }) => !isTest(path))) {
    const from = folderOf(file.path);
    if (!(from in allowed))
      violations.push({ file: file.path, imported: '', why: `src/${from} is not a folder of the layout` });
    for (const imported of importsOf(file)) {
      const to = folderOf(imported);
      if (to === from) continue;
      if (imported.startsWith('..')) violations.push({ file: file.path, imported, why: 'leaves src' });
      else if (!allowed[from]?.includes(to))
        violations.push({ file: file.path, imported, why: `${from} may not import ${to}` });
      else if (imported !== `${to}/index.ts`)
        violations.push({ file: file.path, imported, why: `imports past the public API ${to}/index.ts` });
    }
  }
  return violations;
}

const valueImportPattern = /^(?:import|export)\s+(?!type\s)(?:([^'"`;]*?)\s*from\s*)?['"](\.[^'"]+)['"]/gm;
const onlyTypes = (clause: string) => /^\{(?:\s*type\s[^,}]*,?)+\s*\}$/.test(clause);

/** The files that must be loaded before this one. Type imports load nothing; dynamic imports load later. */
function valueImportsOf({ path, text }: SourceFile): string[] {
  return [...text.matchAll(valueImportPattern)]
    .filter(([, clause = '']) => !onlyTypes(clause.trim()))
    .map(([, , target]) =>
      normalize(join(dirname(path), target!))
        .split(sep)
        .join('/'),
    );
}

/** Cycles of value imports among the files of the program, without tests. Each is a chain that ends where it starts. */
export function findImportCycles(files: readonly SourceFile[]): string[][] {
  const imports = new Map(files.filter(({ path }) => !isTest(path)).map((file) => [file.path, valueImportsOf(file)]));
  const finished = new Set<string>();
  const cycles: string[][] = [];
  const visit = (path: string, chain: readonly string[]): void => {
    const at = chain.indexOf(path);
    if (at >= 0) cycles.push([...chain.slice(at), path]);
    if (at >= 0 || finished.has(path)) return;
    for (const next of imports.get(path) ?? []) visit(next, [...chain, path]);
    finished.add(path);
  };
  for (const path of imports.keys()) visit(path, []);
  return cycles;
}

/** How the program comes to load a file: the shortest chain of imports from an entry, for the message. */
export function importChain(files: readonly SourceFile[], entry: string, target: string): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const cameFrom = new Map<string, string | undefined>([[entry, undefined]]);
  const queue = [entry];
  for (const path of queue) {
    if (path === target) break;
    for (const next of byPath.has(path) ? importsOf(byPath.get(path)!) : []) {
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, path);
      queue.push(next);
    }
  }
  if (!cameFrom.has(target)) return [target];
  const chain: string[] = [];
  for (let at: string | undefined = target; at !== undefined; at = cameFrom.get(at)) chain.unshift(at);
  return chain;
}

export function readSources(root: string): SourceFile[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => {
      const full = join(entry.parentPath, entry.name);
      return { path: relative(root, full).split(sep).join('/'), text: readFileSync(full, 'utf8') };
    });
}
