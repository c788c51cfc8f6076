import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Clock, silentLogger, systemClock } from '../../base/index.ts';
import { runDashboardThread } from './dashboard-thread.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'supercargo-dashboard-thread-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** A thread that writes down each start, tells a port and then does what `body` says; `start` counts from 1. */
async function run(body: string, end: AbortController) {
  const starts = join(folder, 'starts');
  await writeFile(starts, '');
  const program = join(folder, 'worker.mjs');
  await writeFile(
    program,
    `import { appendFileSync, readFileSync } from 'node:fs';
     import { parentPort, workerData } from 'node:worker_threads';
     appendFileSync(${JSON.stringify(starts)}, '.');
     const start = readFileSync(${JSON.stringify(starts)}, 'utf8').length;
     const listen = () => parentPort.postMessage({ kind: 'listening', port: 8000 + start });
     const fail = (failure) => parentPort.postMessage({ kind: 'ended', failure });
     const serve = () => {
       listen();
       parentPort.on('message', () => parentPort.postMessage({ kind: 'ended' }));
     };
     ${body}`,
  );
  const ports: number[] = [];
  const told: string[] = [];
  const pauses: number[] = [];
  const clock: Clock = {
    ...systemClock,
    sleep: async (ms) => {
      pauses.push(ms);
    },
  };
  const log = { ...silentLogger, error: (_: string, fields?: object) => void told.push(JSON.stringify(fields)) };
  const running = runDashboardThread(
    {
      program: pathToFileURL(program),
      setup: { version: '1' } as never,
      origin: { env: {} } as never,
      onListening: (port) => void ports.push(port),
      clock,
      log,
    },
    end.signal,
  );
  running.catch(() => undefined);
  return { running, ports, told, pauses, starts: async () => (await readFile(starts, 'utf8')).length };
}

it('starts a thread that fails again, each time after a longer pause, and tells the port anew', async () => {
  const end = new AbortController();
  // It ends with a message, with an exception and without a word; then it serves.
  const { running, ports, told, pauses, starts } = await run(
    `if (start === 1) { listen(); fail('the cluster is gone'); }
     else if (start === 2) { listen(); setImmediate(() => { throw new Error('a mistake'); }); }
     else if (start === 3) { listen(); setImmediate(() => process.exit(0)); }
     else serve();`,
    end,
  );
  await expect.poll(() => ports.at(-1), { timeout: 60_000 }).toBe(8_004);
  expect(ports).toEqual([8_001, 8_002, 8_003, 8_004]);
  expect(told).toEqual([
    expect.stringContaining('the cluster is gone'),
    expect.stringContaining('a mistake'),
    expect.stringContaining('has ended'),
  ]);
  expect(pauses).toHaveLength(3);
  for (const [index, pause] of pauses.entries()) {
    expect(pause).toBeGreaterThan(0);
    expect(pause).toBeLessThanOrEqual(1_000 * 2 ** index);
  }
  end.abort();
  await running;
  expect(await starts()).toBe(4);
});

it('ends with the failure of a thread that never listened: the configuration is wrong', async () => {
  const { running, told, starts } = await run(`fail('the port is taken');`, new AbortController());
  await expect(running).rejects.toThrow('the port is taken');
  expect([told, await starts()]).toEqual([[], 1]);
});

it('ends when it is told to, also a thread that does not answer', async () => {
  for (const body of ['serve();', 'listen(); setInterval(() => {}, 1_000);']) {
    const end = new AbortController();
    const { running, ports, told } = await run(body, end);
    await expect.poll(() => ports, { timeout: 60_000 }).toEqual([8_001]);
    end.abort();
    await running;
    expect(told).toEqual([]);
  }
});
