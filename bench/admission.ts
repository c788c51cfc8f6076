/**
 * Admission over TLS with keep-alive: the program's own server in one process, a client in another.
 *
 * npm run bench -- admission [--runs 5] [--seconds 4] [--connections 32] [--rate 2500] [--resources 20000] [--mb 200]
 *   [--first]
 *
 * Requests a second of one core are counted against the server's own CPU time, so that a client on the same machine
 * takes nothing away from them; beside them stands what Node itself takes, with nothing to decide. The second half
 * measures times while the same process scans a cluster for reports and copies an image; every request from the start of
 * both until both are done counts, and `--resources 0` leaves it out. `--first` (for root) lets the server and its client go before
 * all other processes: on a machine that others use, times say more about them otherwise.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { findProgram } from '../test/support/docker-registry.ts';
import { type BusyCluster, startBusyCluster } from './support/busy-cluster.ts';
import type { WorkDone } from './support/busy-work.ts';
import { type Figure, renderFigures } from './support/figures.ts';
import type { LoopFigures } from './support/loop-watch.ts';
import { podReview, podSecurityPolicies } from './support/pod-security.ts';
import { ReviewLoad } from './support/review-load.ts';
import { type ReviewProcess, startReviewProcess, type Usage } from './support/review-process.ts';
import { serveNothing, serveReviews } from './support/review-server.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    connections: { type: 'string', default: '32' },
    rate: { type: 'string', default: '2500' },
    resources: { type: 'string', default: '20000' },
    mb: { type: 'string', default: '200' },
    first: { type: 'boolean', default: false },
    program: { type: 'string', default: 'bin/supercargo' },
  },
});
const rate = Number(options.rate);
const durationMs = Number(options.seconds) * 1000;
const body = Buffer.from(JSON.stringify(podReview));
/** So many until Node has compiled what is used often; a server answers far more before anybody looks. */
const warmUp = 20_000;

const described: Record<string, Omit<Figure, 'name' | 'values'>> = {
  'requests a second': { unit: '/s', better: 'more' },
  'requests a second of one core': { unit: '/s', better: 'more', target: 6000 },
  'the same with nothing to decide': { unit: '/s', better: 'more' },
  [`p50 at ${rate}/s`]: { unit: 'ms', better: 'less' },
  [`p99 at ${rate}/s`]: { unit: 'ms', better: 'less', target: 10 },
  'p50 during scan and copy': { unit: 'ms', better: 'less' },
  'p99 during scan and copy': { unit: 'ms', better: 'less', target: 10 },
  'p99 until the copy was done': { unit: 'ms', better: 'less' },
  'server and client waited for a processor': { unit: 'ms/s', better: 'less' },
  'event loop late, p99, during it': { unit: 'ms', better: 'less' },
  'turn of the event loop in CPU time, p99, during it': { unit: 'ms', better: 'less' },
  'longest turn in CPU time, during it': { unit: 'ms', better: 'less' },
  'scan beside the requests': { unit: 's', better: 'less' },
  [`copy of ${options.mb} MB beside them`]: { unit: 's', better: 'less' },
  resident: { unit: 'MB', better: 'less' },
};
const figures = new Map<string, number[]>();
const note = (name: string, value: number) => figures.set(name, [...(figures.get(name) ?? []), value]);

if (positionals[0] === 'serve') await serveReviews(podSecurityPolicies);
else if (positionals[0] === 'nothing') serveNothing();
else await measureAll();

async function measureAll(): Promise<void> {
  const cluster = await busyCluster();
  try {
    for (let run = 0; run < Number(options.runs); run++) {
      await withServer('nothing', async (server, load) => {
        note('the same with nothing to decide', (await flood(server, load, durationMs / 2)).perCpuSecond);
      });
      await withServer('serve', async (server, load) => {
        const { perSecond, perCpuSecond } = await flood(server, load, durationMs);
        note('requests a second', perSecond);
        note('requests a second of one core', perCpuSecond);
        const took = sorted(await load.pace(rate, durationMs));
        note(`p50 at ${rate}/s`, took[Math.floor(took.length * 0.5)]!);
        note(`p99 at ${rate}/s`, took[Math.floor(took.length * 0.99)]!);
        if (cluster) {
          await cluster.clear();
          // Once before it counts, as with the requests: a server scans for the first time once in its life.
          await server.ask<WorkDone>(cluster.work(`${run}-first`));
          await measureBusy(server, load, cluster, run);
        }
        note('resident', (await server.ask<Usage>('usage')).rss / (1 << 20));
      });
    }
  } finally {
    await cluster?.stop();
  }
  console.log(
    `a review of ${body.length} bytes, ${podSecurityPolicies.length} rules, ${options.connections} connections; ` +
      `Node ${process.versions.node}; best of ${options.runs}` +
      (options.first ? '; server and client go before other processes' : ''),
  );
  const seen = Object.entries(described).filter(([name]) => figures.has(name));
  console.log(renderFigures(seen.map(([name, figure]) => ({ name, ...figure, values: figures.get(name)! }))));
}

async function busyCluster(): Promise<BusyCluster | undefined> {
  if (Number(options.resources) === 0) return undefined;
  if (findProgram('docker-registry') === undefined) {
    console.error('without docker-registry nothing is measured during a scan and a copy');
    return undefined;
  }
  return startBusyCluster({
    program: resolve(options.program),
    policies: podSecurityPolicies,
    resources: Number(options.resources),
    imageBytes: Number(options.mb) * 1_000_000,
  });
}

/** Requests never stop while the server works off a scan and copies; every one of that time counts. */
async function measureBusy(server: ReviewProcess, load: ReviewLoad, cluster: BusyCluster, run: number): Promise<void> {
  await cluster.clear();
  await server.ask('reset');
  let isDone = false;
  const working = server.ask<WorkDone>(cluster.work(`${run}`)).finally(() => {
    isDone = true;
  });
  const waitedMs = () => waitedForProcessorMs(server.pid) + waitedForProcessorMs(process.pid);
  const [startedMs, waitedBeforeMs] = [performance.now(), waitedMs()];
  const windows: (readonly number[])[] = [];
  while (!isDone) windows.push(await load.pace(rate, 1_000));
  const waited = (waitedMs() - waitedBeforeMs) / ((performance.now() - startedMs) / 1000);
  const { scanMs, copyMs, copiedBytes } = await working;
  const loop = await server.ask<LoopFigures>('loop');
  const whileCopying = sorted(windows.slice(0, Math.ceil(copyMs / 1_000)).flat());
  const whileScanning = sorted(windows.flat());
  note('p50 during scan and copy', whileScanning[Math.floor(whileScanning.length * 0.5)]!);
  note('p99 during scan and copy', whileScanning[Math.floor(whileScanning.length * 0.99)]!);
  note('p99 until the copy was done', whileCopying[Math.floor(whileCopying.length * 0.99)]!);
  note('server and client waited for a processor', waited);
  note('event loop late, p99, during it', loop.delayP99Ms);
  note('turn of the event loop in CPU time, p99, during it', loop.turnP99Ms);
  note('longest turn in CPU time, during it', loop.turnMaxMs);
  note('scan beside the requests', scanMs / 1000);
  note(`copy of ${Math.round(copiedBytes / 1e6)} MB beside them`, copyMs / 1000);
}

async function withServer(
  mode: 'serve' | 'nothing',
  use: (server: ReviewProcess, load: ReviewLoad) => Promise<void>,
): Promise<void> {
  const server = await startReviewProcess(fileURLToPath(import.meta.url), mode);
  if (options.first) for (const pid of [server.pid, process.pid]) goFirst(pid);
  const connections = Number(options.connections);
  const load = await ReviewLoad.open({ ...server, path: '/validate/fail', body, connections });
  for (let answered = 0; answered < warmUp; ) answered += await load.flood(500);
  await use(server, load);
  load.close();
  await server.stop();
}

async function flood(server: ReviewProcess, load: ReviewLoad, floodMs: number) {
  const before = await server.ask<Usage>('usage');
  const startMs = performance.now();
  const count = await load.flood(floodMs);
  const wallMs = performance.now() - startMs;
  const { cpu } = await server.ask<Usage>('usage');
  const cpuMs = (cpu.user + cpu.system - before.cpu.user - before.cpu.system) / 1000;
  return { perSecond: (count * 1000) / wallMs, perCpuSecond: (count * 1000) / cpuMs };
}

/** What the rest of the machine took from a process while it was ready to run; Linux counts it for its main thread. */
function waitedForProcessorMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
}

/** The main thread alone, and no thread that it starts: helpers that nothing may interrupt would keep it from its own
 * processor. */
function goFirst(pid: number): void {
  const { status, stderr } = spawnSync('chrt', ['-R', '-f', '-p', '1', String(pid)], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`--first is not possible here: ${stderr}`);
}

function sorted(times: readonly number[]): readonly number[] {
  return [...times].sort((a, b) => a - b);
}
