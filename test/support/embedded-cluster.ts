import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type ApiServerOptions, startApiServer } from '../../src/apiserver/index.ts';
import type { Cluster } from './real-cluster.ts';

/** Starts the embedded cluster on a free port, with a kubeconfig as the real one's harness gives. */
export async function startEmbedded(options: ApiServerOptions = {}): Promise<Cluster> {
  const server = await startApiServer(options);
  const folder = mkdtempSync(path.join(tmpdir(), 'supercargo-embedded-'));
  const kubeconfigPath = path.join(folder, 'kubeconfig');
  const name = 'embedded';
  const cluster = { server: server.url, 'certificate-authority-data': Buffer.from(server.caPem).toString('base64') };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster }],
    users: [{ name, user: { token: server.token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  };
  writeFileSync(kubeconfigPath, JSON.stringify(config));
  return {
    url: server.url,
    caPem: server.caPem,
    token: server.token,
    kubeconfigPath,
    forgetHistory: async () => server.compact(),
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
