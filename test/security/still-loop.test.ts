import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { Lease } from '../../src/controller/index.ts';
import { leases } from '../integration/connection.ts';
import { useInstalledCluster } from '../integration/installed-cluster.ts';
import { launch } from '../support/program.ts';
import { eventually } from '../support/wait.ts';

const stillMs = 16_000;
const folder = mkdtempSync(join(tmpdir(), 'supercargo-still-loop-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Stops the event loop of the main thread at a signal, as an evaluation without end would. */
const preload = join(folder, 'stand-still.cjs');
writeFileSync(
  preload,
  `const { isMainThread } = require('node:worker_threads');
   if (isMainThread) process.once('SIGUSR2', () => {
     Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${stillMs});
   });`,
);

const installed = useInstalledCluster();

it('leases and /healthz do not wait for the event loop; after 10 s they say that it stands still', async () => {
  const { client } = installed.connection;
  const config = join(folder, 'config.yaml');
  writeFileSync(config, 'installation: still\nfeatures: [detect]\nnamespace: default\nserver: { port: 0 }\n');
  const program = launch(['run', '--config', config, '--kubeconfig', installed.cluster.kubeconfigPath], {
    env: { NODE_OPTIONS: `--require ${preload}` },
  });
  const lease = () => client.get<Lease>(leases, { namespace: 'default', name: 'still-detect' });
  const renewed = async () => Date.parse((await lease()).spec?.renewTime ?? '');
  try {
    const address = await program.until((_, stderr) => /"address":"([^"]+)"/.exec(stderr)?.[1]);
    const get = async (path: string) => {
      const answer = await fetch(`http://${address}${path}`);
      return `${answer.status} ${await answer.text()}`;
    };
    await eventually(async () => expect(await get('/readyz?verbose')).toMatch(/^200 ok\ndetect: led by this replica/));
    const { holderIdentity } = (await lease()).spec ?? {};

    program.signal('SIGUSR2');
    await eventually(async () => expect(await get('/readyz')).toMatch(/^503 the event loop did not respond/));
    // The loop has stood still for 5 s: the lease was renewed meanwhile, and the process counts as alive.
    const before = await renewed();
    expect(await get('/healthz')).toBe('200 ok\n');
    await eventually(async () => expect(await renewed()).toBeGreaterThan(before));

    await eventually(async () => expect(await get('/healthz')).toMatch(/^503 the event loop has not turned for 1\d s/));
    const last = await renewed();
    await eventually(async () => expect(await get('/healthz')).toBe('200 ok\n'), { timeoutMs: 30_000 });
    // From 10 s of standing still to its end no renewal; then the same holder goes on.
    expect(program.stderr()).toContain('Lease not taken or renewed: the work of this process has stalled');
    await eventually(async () => expect(await renewed()).toBeGreaterThan(last));
    expect((await lease()).spec?.holderIdentity).toBe(holderIdentity);
  } finally {
    expect(await program.stop()).toEqual({ code: 0, signal: null });
  }
  expect((await lease()).spec?.holderIdentity).toBe('');
});
