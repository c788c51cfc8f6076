/**
 * All benches for two builds of the program, in turns: what a change costs or saves.
 *
 * npm run bench -- compare --program ../old/bin/supercargo --program bin/supercargo [--runs 3] [--only policy,copy]
 *
 * Each program lies in a built tree of its own (`git worktree add ../old <commit>`, `npm ci`, `npm run build`). Benches of the
 * whole program are those of this tree and measure both; benches of parts in their own process are those of each tree, one
 * run after the other. Takes an hour on two cores; `--only` names some. What fails is told at the end, and the rest goes on.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const { values: options } = parseArgs({
  options: {
    program: { type: 'string', multiple: true, default: [] },
    runs: { type: 'string', default: '3' },
    only: { type: 'string' },
  },
});
const programs = options.program.map((program) => resolve(program));
const { runs } = options;

/** They take several programs. */
const ofPrograms: Readonly<Record<string, readonly string[]>> = {
  policy: ['--runs', runs, '--many', '0'],
  'policy-writes': ['--runs', runs, '--many', '5000'],
  apiserver: ['--runs', runs, '--starts', '8', '--pods', '30000'],
  'admission-program': ['--runs', runs, '--seconds', '3'],
  pages: ['--runs', runs, '--seconds', '3'],
  copy: ['--runs', runs, '--mb', '200'],
};

/** They run what is in their tree. */
const ofTrees: Readonly<Record<string, readonly string[]>> = {
  cel: [],
  jmespath: [],
  template: [],
  index: [],
  detect: [],
  dashboard: [],
  sync: ['--runs', '1'],
  report: ['--small', '--runs', '1'],
  admission: ['--runs', '1', '--resources', '0'],
};

const names = [...Object.keys(ofPrograms), ...Object.keys(ofTrees)];
const wanted = options.only?.split(',') ?? names;
const failed: string[] = [];

function bench(title: string, tree: string, args: readonly string[]): void {
  console.log(`\n## ${title}\n`);
  const { status } = spawnSync(process.execPath, [join(tree, 'scripts', 'bench.mjs'), ...args], { stdio: 'inherit' });
  if (status !== 0) failed.push(title);
}

/** The folder of a program is that of its tree, one above. */
const treeOf = (program: string) => dirname(dirname(program));

function compare(name: string): void {
  const args = ofPrograms[name];
  if (args) {
    bench(name, '.', [name, ...args, ...programs.flatMap((program) => ['--program', program])]);
    return;
  }
  for (let run = 1; run <= Number(runs); run++)
    for (const tree of programs.map(treeOf)) bench(`${name}, run ${run}: ${tree}`, tree, [name, ...ofTrees[name]!]);
}

const problems = [
  ...(programs.length < 2 ? ['name two programs, each with --program'] : []),
  ...programs.filter((program) => !existsSync(program)).map((program) => `there is no ${program}`),
  ...wanted.filter((name) => !names.includes(name)).map((name) => `${name} is none of ${names.join(', ')}`),
];
if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exitCode = 2;
} else {
  for (const name of wanted) compare(name);
  if (failed.length > 0) {
    console.error(`\nfailed: ${failed.join(', ')}`);
    process.exitCode = 1;
  }
}
