import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  checkArchitecture,
  findImportCycles,
  importChain,
  isTest,
  readSources,
  type SourceFile,
} from './architecture.ts';
import { findUnusedExports } from './exports.ts';

const sources = readSources(fileURLToPath(new URL('../src', import.meta.url)));

describe('the layout of src', () => {
  it('has every import in the allowed direction, through the public APIs', () => {
    const report = checkArchitecture(sources).map(({ file, imported, why }) => {
      const chain = [...importChain(sources, 'main.ts', file), imported].join(' → ');
      return `${why}: ${chain}`;
    });
    expect(report).toEqual([]);
  });

  it('has no cycle of value imports', () => {
    expect(findImportCycles(sources).map((chain) => chain.join(' → '))).toEqual([]);
  });

  it('does not import policy/evaluate from policy/compile', () => {
    const offenders = sources.filter(
      ({ path, text }) => path.startsWith('policy/compile/') && !isTest(path) && text.includes("'../evaluate/"),
    );
    expect(offenders.map(({ path }) => path)).toEqual([]);
  });

  it('exports no name that no other file imports', () => {
    const sourcesOf = (folder: string) =>
      readSources(fileURLToPath(new URL(`../${folder}`, import.meta.url))).map(({ path, text }) => ({
        path: `${folder}/${path}`,
        text,
      }));
    const users = ['test', 'bench', 'scripts'].flatMap(sourcesOf);
    // Generated files export everything; the protocol of the dashboard is for clients in a browser.
    const unused = findUnusedExports(sourcesOf('src'), users).filter(
      ({ file }) => !file.includes('/generated/') && file !== 'src/dashboard/protocol.ts',
    );
    expect(unused.map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
  });

  it('has an index.ts in every folder that says what the folder is and exports names one by one', () => {
    const folders = new Set(sources.filter(({ path }) => path.includes('/')).map(({ path }) => path.split('/')[0]!));
    for (const folder of folders) {
      const index = sources.find(({ path }) => path === `${folder}/index.ts`);
      expect(index?.text, `src/${folder}/index.ts`).toMatch(/^\/\*\*/);
      expect(index?.text, `src/${folder}/index.ts`).not.toMatch(/export \*/);
    }
  });

  it('ends the process in main.ts alone', () => {
    const offenders = sources.filter(
      ({ path, text }) => path !== 'main.ts' && !isTest(path) && /process\.exit\(/.test(text),
    );
    expect(offenders.map(({ path }) => path)).toEqual([]);
  });

  it('loads packages later by their default or by a module of their own: a bundle keeps no other name of them', () => {
    const later =
      /(?:const \{ (\w+)[^}]*\} = )?\(?await import\('(?![.]|node:)[^']+'\)\)?(\.default)?|import\('(?![.]|node:)/g;
    const offenders = sources.flatMap(({ path, text }) =>
      isTest(path)
        ? []
        : [...text.matchAll(later)]
            .filter(([, first, byDefault]) => first !== 'default' && !byDefault)
            .map(([line]) => `${path}: ${line}`),
    );
    expect(offenders).toEqual([]);
  });

  it('reads the environment in main.ts alone', () => {
    const offenders = sources.filter(
      ({ path, text }) => path !== 'main.ts' && !isTest(path) && /process\.env/.test(text),
    );
    expect(offenders.map(({ path }) => path)).toEqual([]);
  });
});

describe('the checker', () => {
  const plant = (path: string, text: string): SourceFile[] => [
    { path: 'main.ts', text: `import { run } from './cli/index.ts';` },
    { path: 'cli/index.ts', text: `import { start } from '../app/index.ts';` },
    { path: 'app/index.ts', text: `import { x } from '../${path}';` },
    { path, text },
  ];
  const reasons = (path: string, text: string) =>
    checkArchitecture(plant(path, text))
      .filter(({ file }) => file === path)
      .map(({ why }) => why);

  it.each([
    ['base/log.ts', `import { a } from '../object/index.ts';`, 'base may not import object'],
    ['apiserver/server.ts', `import { a } from '../kube/index.ts';`, 'apiserver may not import kube'],
    ['registryserver/server.ts', `export { a } from '../registry/index.ts';`, 'registryserver may not import registry'],
    ['mirror/copy.ts', `import type { A } from '../report/index.ts';`, 'mirror may not import report'],
    ['kube/client.ts', `import { a } from '../base/log.ts';`, 'imports past the public API base/index.ts'],
    ['policy/compile/match.ts', `const m = await import('../../kube/index.ts');`, 'policy may not import kube'],
    ['object/x.ts', `import '../kube/index.ts';`, 'object may not import kube'],
    ['utils/x.ts', ``, 'src/utils is not a folder of the layout'],
    ['kube/x.ts', `import { a } from '../../test/x.ts';`, 'leaves src'],
    ['kube/x.ts', `import {\n  a,\n  b,\n} from '../controller/index.ts';`, 'kube may not import controller'],
  ])('catches what %s must not do', (path, text, why) => {
    expect(reasons(path, text)).toEqual([why]);
  });

  it('says nothing of imports that are allowed', () => {
    expect(reasons('kube/client.ts', `import { a } from '../base/index.ts';\nimport { b } from './types.ts';`)).toEqual(
      [],
    );
  });

  it('lets tests import past the public API', () => {
    expect(reasons('kube/client.test.ts', `import { a } from '../apiserver/store/index.ts';`)).toEqual([]);
  });

  it('finds the chain that leads to the offender', () => {
    const files = plant('base/log.ts', `import { a } from '../object/index.ts';`);
    expect(importChain(files, 'main.ts', 'base/log.ts')).toEqual([
      'main.ts',
      'cli/index.ts',
      'app/index.ts',
      'base/log.ts',
    ]);
  });
});

describe('the finder of import cycles', () => {
  const cycles = (texts: Readonly<Record<string, string>>) =>
    findImportCycles(Object.entries(texts).map(([path, text]) => ({ path, text })));

  it('returns only the files of the cycle as a chain', () => {
    expect(
      cycles({
        'base/a.ts': `import { b } from './b.ts';`,
        'base/b.ts': `import { c, type D } from './c.ts';`,
        'base/c.ts': `export {\n  b,\n} from './b.ts';`,
      }),
    ).toEqual([['base/b.ts', 'base/c.ts', 'base/b.ts']]);
  });

  it('ignores types, dynamic imports and tests', () => {
    const b = `import { a } from './a.ts';`;
    expect(cycles({ 'base/a.ts': `import type { B } from './b.ts';`, 'base/b.ts': b })).toEqual([]);
    expect(cycles({ 'base/a.ts': `import { type B, type C } from './b.ts';`, 'base/b.ts': b })).toEqual([]);
    expect(cycles({ 'base/a.ts': `const b = await import('./b.ts');`, 'base/b.ts': b })).toEqual([]);
    expect(cycles({ 'base/a.test.ts': `import './b.ts';`, 'base/b.ts': `import './a.test.ts';` })).toEqual([]);
  });
});

describe('the finder of unused exports', () => {
  const unused = (texts: Readonly<Record<string, string>>, users: Readonly<Record<string, string>> = {}) => {
    const files = (named: Readonly<Record<string, string>>) =>
      Object.entries(named).map(([path, text]) => ({ path, text }));
    return findUnusedExports(files(texts), files(users)).map(({ file, name }) => `${file} ${name}`);
  };

  it.each([
    ['export const a = 1;'],
    ['export async function a() {}'],
    ['export abstract class a {}'],
    ['export type a = 1;'],
    ['const b = 1;\nexport { b as a };'],
    [`export { type a } from './other.ts';`],
  ])('finds the name of %s', (text) => {
    expect(unused({ 'src/x.ts': text })).toEqual(['src/x.ts a']);
    expect(unused({ 'src/x.ts': text }, { 'test/y.ts': `import { type a as z } from '../src/x.ts';` })).toEqual([]);
  });

  it('counts uses by a test, a namespace import and a dynamic import', () => {
    const text = 'export const a = 1;';
    expect(unused({ 'src/x.ts': text, 'src/x.test.ts': `import { a } from './x.ts';` })).toEqual([]);
    expect(unused({ 'src/x.ts': text, 'src/y.ts': `import * as x from './x.ts';` })).toEqual([]);
    expect(unused({ 'src/x.ts': text, 'src/y.ts': `const x = await import('./x.ts');` })).toEqual([]);
  });

  it('reports a re-exported name that nobody imports from there', () => {
    const files = { 'src/x.ts': 'export const a = 1;', 'src/index.ts': `export { a } from './x.ts';` };
    expect(unused(files)).toEqual(['src/index.ts a']);
  });
});
