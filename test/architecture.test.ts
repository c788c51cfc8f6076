import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { checkArchitecture, importChain, isTest, readSources, type SourceFile } from './architecture.ts';

const sources = readSources(fileURLToPath(new URL('../src', import.meta.url)));

describe('the layout of src', () => {
  it('has every import in the allowed direction, through the public APIs', () => {
    const report = checkArchitecture(sources).map(({ file, imported, why }) => {
      const chain = [...importChain(sources, 'main.ts', file), imported].join(' → ');
      return `${why}: ${chain}`;
    });
    expect(report).toEqual([]);
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
