/**
 * An image between two real registries on this machine: our program against `skopeo copy` and `crane copy`, each a
 * process of its own, their runs taking turns. The target forgets the copy between two runs.
 *
 * npm run bench -- copy [--runs 5] [--mb 200] [--mb 2000] [--layers 6] [--program bin/supercargo]…
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parseReference } from '../src/image/index.ts';
import { createCopier, createRegistryClient } from '../src/registry/index.ts';
import { findProgram, startDockerRegistry } from '../test/support/docker-registry.ts';
import { findCrane, findSkopeo, ourCopy } from './support/copy-tools.ts';
import { type Figure, renderFigures } from './support/figures.ts';
import { pushImage } from './support/image.ts';
import { type ProcessUsage, runMeasured } from './support/process-usage.ts';

const { values: options } = parseArgs({
  options: {
    runs: { type: 'string', default: '5' },
    mb: { type: 'string', multiple: true, default: ['200', '2000'] },
    layers: { type: 'string', default: '6' },
    program: { type: 'string', multiple: true, default: ['bin/supercargo'] },
  },
});

const ours = options.program.map((program) => ({ ...ourCopy(resolve(program)), name: program }));
const others = [findSkopeo(), await findCrane(false)].filter((tool) => tool !== undefined);
const tools = [...ours, ...others];
const peers = others.map(({ name }) => name);
if (findProgram('docker-registry') === undefined || peers.length === 0) {
  console.error('this bench needs docker-registry, and skopeo or crane');
  process.exit(2);
}

async function benchSize(megabytes: number): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'supercargo-bench-'));
  const env = { PATH: process.env['PATH'], HOME: home, TMPDIR: home };
  const source = await startDockerRegistry();
  try {
    const image = `${source.host}/bench/image:v1`;
    await pushImage(image, megabytes * 1_000_000, Number(options.layers));
    const results = new Map<string, ProcessUsage[]>();
    const again: number[] = [];
    for (let run = 0; run < Number(options.runs); run++) {
      for (const { name, command } of tools) {
        // A fresh target every time: nothing of the copy before is left to be skipped.
        const target = await startDockerRegistry();
        try {
          const usage = await runMeasured({ ...command(image, target.host), env });
          results.set(name, [...(results.get(name) ?? []), usage]);
          if (name === ours[0]!.name) again.push(await secondCopy(image, `${target.host}/image:v1`));
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

function print(
  megabytes: number,
  results: ReadonlyMap<string, readonly ProcessUsage[]>,
  again: readonly number[],
): void {
  const best = (name: string) => Math.min(...(results.get(name) ?? []).map(({ wallMs }) => wallMs));
  const fastest = Math.min(...peers.map(best));
  const figures: Figure[] = [];
  for (const [name, runs] of results) {
    const isOurs = options.program.includes(name);
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
      `best of ${options.runs}; ${options.program.map((program) => (best(program) / fastest).toFixed(2)).join(', ')} × the faster of ${peers.join(' and ')}`,
  );
  console.log(renderFigures(figures));
}

for (const megabytes of options.mb) await benchSize(Number(megabytes));
