import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createHistogram } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { createLogger, systemClock } from '../../src/base/index.ts';
import { createControllerMetrics } from '../../src/controller/index.ts';
import {
  bearer,
  createDiscovery,
  createInformerFactory,
  createKubeClient,
  staticCredentials,
} from '../../src/kube/index.ts';
import { createReporter, createReportMetrics } from '../../src/report/index.ts';
import { createLivePolicies, createLookUps } from '../../src/runtime/index.ts';
import type { ServerProcess } from './server-process.ts';

export interface Moment {
  readonly idle: boolean;
  readonly results: number;
  readonly objects: number;
  readonly writes: number;
  readonly bytes: number;
  readonly cpuMs: number;
  readonly residentMb: number;
  readonly peakMb: number;
  readonly longestTurnMs: number;
  readonly p99TurnMs: number;
}

export interface Measured extends Moment {
  readonly wallMs: number;
  /** Until the last result was in the index. */
  readonly scannedMs: number;
}

export interface ReporterProcess {
  untilIdle(results: number): Promise<Measured>;
  /** What it costs until the reporter is at rest again after the change; counts are of the step alone. */
  step(change: () => Promise<void>): Promise<Measured>;
  /** The highest resident memory up to the end, with the checkpoint that it wrote; undefined for an older program. */
  stop(): Promise<number | undefined>;
}

/** The reporter alone, in a process of its own: started by `startReporterProcess`. */
export async function runReporterProcess(): Promise<void> {
  const { url, caPem, token, checkpoint } = JSON.parse(process.env['BENCH_SERVER']!) as Pick<
    ServerProcess,
    'url' | 'caPem' | 'token'
  > & { readonly checkpoint?: string };
  const log = createLogger({ level: 'warn' });
  const client = createKubeClient({
    name: 'bench',
    server: url,
    namespace: 'default',
    tls: { ca: caPem },
    credentials: staticCredentials({ authorization: bearer(token) }),
  });
  const informers = createInformerFactory({ client, log });
  const policies = createLivePolicies({ informers, log });
  const discovery = createDiscovery({ source: client });
  const metrics = new Registry();
  const reporter = createReporter({
    client,
    discovery,
    policies,
    lookUps: createLookUps({ client, discovery, clock: systemClock, log }),
    installation: 'supercargo',
    isSplit: true,
    isAlone: true,
    checkpoint: checkpoint === undefined ? undefined : { path: checkpoint, program: 'bench' },
    metrics: (gauges) => createReportMetrics(metrics, createControllerMetrics(metrics).forQueue('report'), gauges),
    clock: systemClock,
    log,
  });
  const stop = new AbortController();
  process.stdout.write('ready\n');
  const turns = createHistogram();
  watchTurns((microseconds) => turns.record(Math.max(1, microseconds)));
  const running = Promise.all([informers.run(stop.signal), reporter.run(stop.signal)]);
  const value = async (name: string) => {
    const metric = await metrics.getSingleMetric(name)!.get();
    return metric.values.reduce(
      (sum, one) => sum + (one.labels['outcome'] === undefined || one.labels['outcome'] === 'done' ? one.value : 0),
      0,
    );
  };
  const megabytes = (name: string) => {
    const status = readFileSync('/proc/self/status', 'utf8');
    return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
  };
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === 'stop') break;
    const { user, system } = process.cpuUsage();
    const moment: Moment = {
      idle: reporter.isIdle,
      results: await value('supercargo_report_results'),
      objects: await value('supercargo_report_objects'),
      writes: await value('supercargo_report_writes_total'),
      bytes: await value('supercargo_report_written_bytes_total'),
      cpuMs: (user + system) / 1000,
      residentMb: megabytes('VmRSS'),
      peakMb: megabytes('VmHWM'),
      longestTurnMs: turns.max / 1000,
      p99TurnMs: turns.percentile(99) / 1000,
    };
    process.stdout.write(`${JSON.stringify(moment)}\n`);
  }
  stop.abort();
  await running;
  process.stdout.write(`${JSON.stringify({ peakMb: megabytes('VmHWM') })}\n`);
  await client.close();
  process.stdin.destroy();
}

/**
 * How long the loop was held between two timers, in CPU time of the process: on a busy machine the time on the wall says
 * more about the others. Helper threads are counted too, so it errs on the high side.
 */
function watchTurns(record: (microseconds: number) => void): void {
  let [wall, cpu] = [performance.now(), process.cpuUsage()];
  setInterval(() => {
    const [nowWall, nowCpu] = [performance.now(), process.cpuUsage()];
    const used = nowCpu.user + nowCpu.system - cpu.user - cpu.system;
    record(Math.round(Math.min(used, (nowWall - wall) * 1000)));
    [wall, cpu] = [nowWall, nowCpu];
  }, 5).unref();
}

/** The program is a bundle of a bench of reports. With a path for a checkpoint it begins with that of the one before, and leaves one when it is stopped. */
export async function startReporterProcess(
  { url, caPem, token }: ServerProcess,
  {
    checkpoint,
    program = process.argv[1]!,
  }: { readonly checkpoint?: string | undefined; readonly program?: string } = {},
): Promise<ReporterProcess> {
  const child = spawn(
    process.execPath,
    [
      ...(process.env['BENCH_PROFILE']
        ? ['--cpu-prof', `--cpu-prof-dir=${process.env['BENCH_PROFILE']}`]
        : ['--enable-source-maps']),
      program,
      '--child',
    ],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, BENCH_SERVER: JSON.stringify({ url, caPem, token, checkpoint }) },
    },
  );
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  const { ask, last } = await asker(child);
  const startedAt = performance.now();
  const untilIdle = async (since: number, isDone: (moment: Moment) => boolean) => {
    let scannedMs = 0;
    for (;;) {
      const moment = await ask();
      if (scannedMs === 0 && isDone(moment)) scannedMs = performance.now() - since;
      if (isDone(moment) && moment.idle) return { ...moment, wallMs: performance.now() - since, scannedMs };
      if (performance.now() - since > 600_000)
        throw new Error(`not at rest after ten minutes: ${JSON.stringify(moment)}`);
      if (process.env['BENCH_VERBOSE']) console.log(JSON.stringify(moment));
      await sleep(20);
    }
  };
  return {
    untilIdle: (results) => untilIdle(startedAt, (moment) => moment.results >= results),
    async step(change) {
      const before = await ask();
      await change();
      const since = performance.now();
      const after = await untilIdle(since, ({ writes }) => writes > before.writes);
      return {
        ...after,
        writes: after.writes - before.writes,
        bytes: after.bytes - before.bytes,
        cpuMs: after.cpuMs - before.cpuMs,
      };
    },
    async stop() {
      child.stdin!.write('stop\n');
      const peakMb = await last();
      await ended;
      return peakMb;
    },
  };
}

interface Asker {
  readonly ask: () => Promise<Moment>;
  readonly last: () => Promise<number | undefined>;
}

async function asker(child: ChildProcess): Promise<Asker> {
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  await lines.next();
  return {
    async ask() {
      child.stdin!.write('moment\n');
      const { value, done } = await lines.next();
      if (done) throw new Error('the reporter ended');
      return JSON.parse(value) as Moment;
    },
    async last() {
      const { value, done } = await lines.next();
      return done ? undefined : (JSON.parse(value) as Pick<Moment, 'peakMb'>).peakMb;
    },
  };
}
