/** `supercargo run` outside the cluster: where webhooks are registered, and that none stays. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connect } from '../../src/app/connect.ts';
import { silentLogger } from '../../src/base/index.ts';
import { runCli } from '../../src/cli/index.ts';
import { freePorts } from '../support/child.ts';
import { startEmbedded } from '../support/embedded-cluster.ts';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import type { Cluster } from '../support/real-cluster.ts';
import { eventually } from '../support/wait.ts';
import { installKinds } from './run-features.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'supercargo-exposure-'));
let cluster: Cluster;
let http: HttpClient;
beforeAll(async () => {
  cluster = await startEmbedded({ simulation: false });
  http = createHttpClient(cluster);
  const connection = await connect({ env: {}, kubeconfig: cluster.kubeconfigPath, log: silentLogger });
  await installKinds(connection);
  await connection.client.close();
  await http.post('/api/v1/namespaces', { metadata: { name: 'home' } });
});
afterAll(async () => {
  await http?.close();
  await cluster?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const configurations = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const urls = async () => {
  const { items } = (await http.get(configurations)).body;
  return items.flatMap(({ webhooks }) =>
    (webhooks as readonly { clientConfig: { url?: string } }[]).map(({ clientConfig }) => clientConfig.url),
  );
};

/** In this process; `end` is its signal. */
function run(config: string, ...options: readonly string[]) {
  const end = new AbortController();
  const texts = { stdout: '', stderr: '' };
  const stream = (name: 'stdout' | 'stderr') => ({ isTTY: false, write: (text: string) => void (texts[name] += text) });
  const context = {
    // What every pod has, also a CI job that works on another cluster.
    env: { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' },
    openStdin: () => process.stdin,
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    temporaryDir: '/tmp',
    signal: end.signal,
    uptimeMs: () => 0,
  };
  const where = ['--kubeconfig', cluster.kubeconfigPath, '--namespace', 'home', '--config', config];
  const exited = runCli(['run', '--features', 'admission', ...where, ...options], context, '0.0.0');
  return {
    texts,
    exited,
    stop: () => {
      end.abort();
      return exited;
    },
  };
}

/** A configuration for one run, with ports that are free. */
async function settings(): Promise<{ readonly file: string; readonly port: number }> {
  const [port = 0] = await freePorts(1);
  const file = path.join(folder, `${port}.yaml`);
  writeFileSync(file, `server: { port: 0 }\nleaderElection: { enabled: false }\nwebhook: { port: ${port} }\n`);
  return { file, port };
}

it('refuses webhooks that nobody could call, also in a pod of another cluster', async () => {
  const { exited, texts } = run((await settings()).file);
  expect(await exited, texts.stderr).toBe(2);
  expect(texts.stderr).toContain('name an address that it can reach with --exposure url=https://HOST:PORT');
  expect(await urls()).toEqual([]);
});

it.each(['loopback', 'url'])('registers the address of --exposure %s, and removes it when it stops', async (how) => {
  const { file, port } = await settings();
  const { stop, texts } = run(file, '--exposure', how === 'url' ? `url=https://127.0.0.1:${port}` : how);
  await eventually(async () => expect(await urls(), texts.stderr).not.toEqual([]));
  for (const url of await urls()) expect(url).toMatch(new RegExp(`^https://127\\.0\\.0\\.1:${port}/`));
  expect(await stop(), texts.stderr).toBe(0);
  expect(await urls()).toEqual([]);
});

it('refuses a way that it does not know', async () => {
  const { exited, texts } = run((await settings()).file, '--exposure', 'https://127.0.0.1:1');
  expect(await exited).toBe(2);
  expect(texts.stderr).toContain('--exposure');
});
