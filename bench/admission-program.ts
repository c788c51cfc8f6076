/**
 * The whole program at admission: `supercargo run` against an API server in another process, with all its watches and
 * look-ups, asked by a client in a third one.
 *
 * npm run bench -- admission-program [--runs 3] [--seconds 4] [--connections 32] [--rate 1500] [--few 100]
 *   [--features admission] [--program bin/supercargo]… [--one-core] [--together]
 *   [--look-ups] [--profile FOLDER]
 *
 * CPU time is that of all threads of the program. Several programs (builds of two states of the tree) run as replicas and
 * are asked in turns, and with them a server of bare Node that parses each review and allows it. With `--one-core` program
 * and client share the first processor; with `--together` all programs are asked at the same time, too. With `--look-ups`
 * each rule asks for labels of the namespace, cluster roles of the user and a ConfigMap.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { eventually } from '../test/support/wait.ts';
import { type AdmissionProcess, startAdmissionCluster, usageOf } from './support/admission-program.ts';
import { type Figure, renderFigures } from './support/figures.ts';
import { checkDenied } from './support/look-ups.ts';
import { podReview, podSecurityPolicies } from './support/pod-security.ts';
import { ReviewLoad } from './support/review-load.ts';
import { startReviewProcess } from './support/review-process.ts';
import { serveParsed } from './support/review-server.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '4' },
    connections: { type: 'string', default: '32' },
    rate: { type: 'string', default: '1500' },
    few: { type: 'string', default: '100' },
    features: { type: 'string', default: 'admission' },
    program: { type: 'string', multiple: true, default: ['bin/supercargo'] },
    'one-core': { type: 'boolean', default: false },
    together: { type: 'boolean', default: false },
    'look-ups': { type: 'boolean', default: false },
    profile: { type: 'string' },
  },
});
const durationMs = Number(options.seconds) * 1000;
const rate = Number(options.rate);
const few = Number(options.few);
const body = Buffer.from(JSON.stringify(podReview));
/** So many until Node has compiled what is used often. */
const warmUp = 20_000;
const bare = 'bare Node';

const described: readonly Omit<Figure, 'values'>[] = [
  { name: 'requests a second of CPU at saturation', unit: '/s', better: 'more', target: 6300 },
  { name: 'requests a second', unit: '/s', better: 'more' },
  { name: `CPU for a request at ${few}/s`, unit: 'µs', better: 'less' },
  { name: 'CPU without requests', unit: 'ms/s', better: 'less' },
  { name: `p50 at ${rate}/s`, unit: 'ms', better: 'less' },
  { name: `p99 at ${rate}/s`, unit: 'ms', better: 'less', target: 10 },
  { name: 'resident', unit: 'MB', better: 'less' },
];
const profiling = options.profile ? ['--cpu-prof', `--cpu-prof-dir=${options.profile}`] : [];
const figures = new Map<string, number[]>();
const together: number[] = [];

interface Measured {
  readonly path: string;
  readonly program: AdmissionProcess;
  readonly load: ReviewLoad;
}

async function startBare(): Promise<AdmissionProcess> {
  const server = await startReviewProcess(fileURLToPath(import.meta.url), 'parse');
  return { ...server, ...usageOf(server.pid) };
}

async function start(path: string, program: AdmissionProcess): Promise<Measured> {
  const connections = Number(options.connections);
  const load = await ReviewLoad.open({ ...program, path: '/validate/fail', body, connections });
  if (options['one-core']) spawnSync('taskset', ['-a', '-c', '-p', '0', `${program.pid}`]);
  for (let answered = 0; answered < warmUp; ) answered += await load.flood(500);
  return { path, program, load };
}

const phases: readonly ((measured: Measured) => Promise<void>)[] = [
  async (measured) => {
    const startMs = performance.now();
    const { count, cpuMs } = await used(measured, () => measured.load.flood(durationMs));
    note(measured, 'requests a second', (count * 1000) / (performance.now() - startMs));
    note(measured, 'requests a second of CPU at saturation', (count * 1000) / cpuMs);
  },
  async (measured) => {
    const { cpuMs } = await used(measured, () => new Promise((done) => setTimeout(() => done(0), durationMs)));
    note(measured, 'CPU without requests', (cpuMs * 1000) / durationMs);
  },
  async (measured) => {
    const { count, cpuMs } = await used(measured, async () => (await measured.load.pace(few, 2 * durationMs)).length);
    note(measured, `CPU for a request at ${few}/s`, (cpuMs * 1000) / count);
  },
  async (measured) => {
    const took = [...(await measured.load.pace(rate, durationMs))].sort((a, b) => a - b);
    note(measured, `p50 at ${rate}/s`, took[Math.floor(took.length * 0.5)]!);
    note(measured, `p99 at ${rate}/s`, took[Math.floor(took.length * 0.99)]!);
    note(measured, 'resident', measured.program.residentMb());
  },
];

async function askTogether(programs: readonly Measured[]): Promise<void> {
  const startMs = performance.now();
  const counts = await Promise.all(programs.map(({ load }) => load.flood(durationMs)));
  const perSecond = (counts.reduce((sum, count) => sum + count) * 1000) / (performance.now() - startMs);
  together.push(perSecond);
}

async function used({ program }: Measured, work: () => Promise<number>) {
  const beforeMs = program.cpuMs();
  const count = await work();
  return { count, cpuMs: program.cpuMs() - beforeMs };
}

function note({ path }: Measured, name: string, value: number): void {
  const key = `${path}: ${name}`;
  figures.set(key, [...(figures.get(key) ?? []), value]);
}

async function measureAll(): Promise<void> {
  const cluster = await startAdmissionCluster(options.program[0]!, { lookUps: options['look-ups'] });
  const all: Measured[] = [];
  try {
    if (options['one-core']) spawnSync('taskset', ['-a', '-c', '-p', '0', `${process.pid}`]);
    all.push(await start(bare, await startBare()));
    for (const path of options.program) {
      const program = await cluster.start(path, options.features.split(','), profiling);
      if (options['look-ups']) await eventually(() => checkDenied(program), { timeoutMs: 300_000 });
      all.push(await start(path, program));
    }
    for (let run = 0; run < Number(options.runs); run++) {
      for (const phase of phases) for (const measured of all) await phase(measured);
      if (options.together) await askTogether(all.slice(1));
    }
  } finally {
    for (const { program, load } of all) {
      load.close();
      await program.stop();
    }
    await cluster.stop();
  }
  const shown: Figure[] = [bare, ...options.program].flatMap((path) =>
    described.map((figure) => {
      const name = `${path}: ${figure.name}`;
      return { ...figure, name, values: figures.get(name) ?? [] };
    }),
  );
  if (options.together)
    shown.push({ name: 'all programs together: requests a second', unit: '/s', better: 'more', values: together });
  console.log(
    `a review of ${body.length} bytes, ${podSecurityPolicies.length} rules, ${options.connections} connections; ` +
      `Node ${process.versions.node}; best of ${options.runs}; features ${options.features}\n${renderFigures(shown)}`,
  );
}

if (positionals[0] === 'parse') serveParsed();
else await measureAll();
