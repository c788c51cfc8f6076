/**
 * An image between two real registries on this machine: our program against `skopeo copy` and `crane copy`, each a
 * process of its own, their runs taking turns. The target forgets the copy between two runs.
 *
 * npm run bench -- copy [--runs 5] [--mb 200] [--mb 2000] [--layers 6] [--program bin/supercargo]
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parseReference } from '../src/image/index.ts';
import { createCopier, createRegistryClient } from '../src/registry/index.ts';
import { findProgram, startDockerRegistry } from '../test/support/docker-registry.ts';
import { type Figure, renderFigures } from './support/figures.ts';
import { pushImage } from './support/image.ts';

const { values: options } = parseArgs({
  options: {
    runs: { type: 'string', default: '5' },
    mb: { type: 'string', multiple: true, default: ['200', '2000'] },
    layers: { type: 'string', default: '6' },
    program: { type: 'string', default: 'bin/supercargo' },
  },
});

interface Measured {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly peakMb: number;
}

/** Runs a program to its end; its peak memory and CPU time are read from /proc while it lives. */
async function measure(command: string, args: readonly string[], home: string): Promise<Measured> {
  const start = performance.now();
  const child = spawn(command, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env['PATH'], HOME: home, TMPDIR: home },
  });
  let complaint = '';
  child.stderr.on('data', (text) => {
    complaint = (complaint + text).slice(-2000);
  });
  let [peakMb, cpuMs] = [0, 0];
  const look = () => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      peakMb = Math.max(peakMb, Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024);
      const stat = readFileSync(`/proc/${child.pid}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      cpuMs = (Number(fields[11]) + Number(fields[12])) * 10;
    } catch {
      // It has ended.
    }
  };
  const timer = setInterval(look, 20);
  const code = await new Promise<number | null>((done, failed) => {
    child.once('error', failed);
    child.once('close', done);
  });
  clearInterval(timer);
  const wallMs = performance.now() - start;
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}: ${complaint}`);
  return { wallMs, cpuMs, peakMb };
}

const [skopeo, crane, registry] = ['skopeo', 'crane', 'docker-registry'].map((name) => findProgram(name));
if (registry === undefined || (skopeo ?? crane) === undefined) {
  console.error('this bench needs docker-registry, and skopeo or crane');
  process.exit(2);
}
const program = resolve(options.program);

async function benchSize(megabytes: number): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'supercargo-bench-'));
  const source = await startDockerRegistry();
  try {
    const image = `${source.host}/bench/image:v1`;
    await pushImage(image, megabytes * 1_000_000, Number(options.layers));
    const tools: Record<string, ((target: string) => readonly [string, readonly string[]]) | undefined> = {
      supercargo: (target) => [
        process.execPath,
        [program, 'mirror', image, '--to', target, '--mapping', 'basename', '--no-referrers'],
      ],
      skopeo:
        skopeo === undefined
          ? undefined
          : (target) => [
              skopeo,
              [
                'copy',
                '-q',
                '--src-tls-verify=false',
                '--dest-tls-verify=false',
                `docker://${image}`,
                `docker://${target}/image:v1`,
              ],
            ],
      crane: crane === undefined ? undefined : (target) => [crane, ['copy', '--insecure', image, `${target}/image:v1`]],
    };
    const results = new Map<string, Measured[]>();
    const again: number[] = [];
    for (let run = 0; run < Number(options.runs); run++) {
      for (const [name, command] of Object.entries(tools)) {
        if (command === undefined) continue;
        // A fresh target every time: nothing of the copy before is left to be skipped.
        const target = await startDockerRegistry();
        try {
          const [file, args] = command(target.host);
          results.set(name, [...(results.get(name) ?? []), await measure(file, args, home)]);
          if (name === 'supercargo') again.push(await secondCopy(image, `${target.host}/image:v1`));
        } finally {
          await target.stop();
        }
      }
    }
    print(megabytes, results, again);
  } finally {
    await source.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

/** The copy of what is there already, in a process that is warm. */
async function secondCopy(source: string, target: string): Promise<number> {
  const client = createRegistryClient();
  try {
    const copier = createCopier(client);
    const request = { source: parseReference(source), target: parseReference(target) };
    await copier.copy(request);
    const { durationMs, state } = await copier.copy(request);
    if (state !== 'present') throw new Error(`the second copy was ${state}`);
    return durationMs;
  } finally {
    await client.close();
  }
}

function print(megabytes: number, results: ReadonlyMap<string, readonly Measured[]>, again: readonly number[]): void {
  const best = (name: string) => Math.min(...(results.get(name) ?? []).map(({ wallMs }) => wallMs));
  const peers = ['skopeo', 'crane'].filter((name) => results.has(name));
  const fastest = Math.min(...peers.map(best));
  const figures: Figure[] = [];
  for (const [name, runs] of results) {
    const isOurs = name === 'supercargo';
    figures.push({
      name: `${name}, time`,
      unit: 'ms',
      better: 'less',
      values: runs.map(({ wallMs }) => wallMs),
      ...(isOurs ? { target: fastest * 1.1 } : {}),
    });
    figures.push({ name: `${name}, CPU`, unit: 'ms', better: 'less', values: runs.map(({ cpuMs }) => cpuMs) });
    figures.push({
      name: `${name}, peak memory`,
      unit: 'MB',
      better: 'less',
      // The worst run counts: a limit on memory is one that is never passed.
      values: [Math.max(...runs.map(({ peakMb }) => peakMb))],
      ...(isOurs ? { target: 150 } : {}),
    });
  }
  figures.push({ name: 'second copy, in process', unit: 'ms', better: 'less', values: again, target: 50 });
  console.log(
    `\n${megabytes} MB in ${options.layers} layers between two docker-registries; Node ${process.versions.node}; ` +
      `best of ${options.runs}; ${(best('supercargo') / fastest).toFixed(2)} × the faster of ${peers.join(' and ')}`,
  );
  console.log(renderFigures(figures));
}

for (const megabytes of options.mb) await benchSize(Number(megabytes));
