import { afterAll, beforeAll, describe } from 'vitest';
import type { KubeConnection } from '../../src/kube/index.ts';
import { startEmbedded } from '../support/embedded-cluster.ts';
import type { Cluster } from '../support/real-cluster.ts';
import { defineClients } from './clients.ts';
import { connectTo } from './connection.ts';

describe('the client and the embedded cluster', () => {
  let cluster: Cluster;
  let client: KubeConnection;
  beforeAll(async () => {
    cluster = await startEmbedded({ simulation: false });
    client = await connectTo(cluster);
  });
  afterAll(async () => {
    await client.close();
    await cluster.stop();
  });
  defineClients(() => ({ client, forget: async (before) => cluster.forgetHistory?.(before) }));
});
