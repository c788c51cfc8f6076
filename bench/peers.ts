/**
 * Other programs at the same work, in turns: one table of ratios, or CPU time by size (`--growth`).
 *
 * npm run bench -- peers [--only cli,admission,copy,cel,template] [--runs 3] [--growth] [--write]
 *
 * Kyverno, crane, cel-go and text/template are built into the user's cache where they are not there yet, which takes long
 * the first time; skopeo and docker-registry must be installed. What cannot be had is left out, with its reason. Both
 * sides must come to the same outcome, or nothing is reported. `--write` puts the tables into docs/performance.md.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { admission } from './peers/admission.ts';
import { cel } from './peers/cel.ts';
import { cli } from './peers/cli.ts';
import { type Compared, type Comparison, compare } from './peers/comparison.ts';
import { copy } from './peers/copy.ts';
import { renderReport, replaceReport } from './peers/report.ts';
import { template } from './peers/template.ts';

const comparisons: readonly Comparison[] = [cli, admission, copy, cel, template];
const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: comparisons.map(({ name }) => name).join(',') },
    runs: { type: 'string', default: '3' },
    growth: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '10' },
    write: { type: 'boolean', default: false },
  },
});
const wanted = options.only.split(',');
const unknown = wanted.filter((name) => !comparisons.some((comparison) => comparison.name === name));
if (unknown.length > 0) throw new Error(`nothing is compared as ${unknown.join(', ')}`);

const wantedComparisons = comparisons.filter(({ name, grows }) => wanted.includes(name) && (grows || !options.growth));

const progress = (line: string) => process.stderr.write(`${line}\n`);
const pace = { runs: Number(options.runs), longestMs: Number(options.minutes) * 60_000, progress };
const [load = 0] = loadavg();
const compared: Compared[] = [];
const excluded: string[] = [];
for (const { name, open } of wantedComparisons) {
  const contest = await open({ growth: options.growth, progress });
  if ('reason' in contest) {
    progress(`${name} is left out: ${contest.reason}`);
    excluded.push(`${name} (${contest.reason})`);
    continue;
  }
  try {
    compared.push(...(await compare(contest.works, pace)));
  } finally {
    await contest.stop?.();
  }
}
const growth = options.growth;
const report = renderReport(compared, { growth, excluded, runs: pace.runs, load, arguments: process.argv.slice(2) });
process.stdout.write(`${report}\n`);
if (options.write) {
  const file = 'docs/performance.md';
  writeFileSync(file, replaceReport(readFileSync(file, 'utf8'), report, growth));
}
