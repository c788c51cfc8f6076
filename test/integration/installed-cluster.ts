import { afterAll, beforeAll } from 'vitest';
import { type Connection, connect } from '../../src/app/connect.ts';
import { silentLogger } from '../../src/base/index.ts';
import { startEmbedded } from '../support/embedded-cluster.ts';
import type { Cluster } from '../support/real-cluster.ts';
import { installKinds } from './run-features.ts';

/** An embedded cluster with our kinds and a connection to it, for the tests around this call. */
export function useInstalledCluster(): { readonly cluster: Cluster; readonly connection: Connection } {
  let cluster: Cluster | undefined;
  let connection: Connection | undefined;
  beforeAll(async () => {
    cluster = await startEmbedded();
    connection = await connect({ env: {}, kubeconfig: cluster.kubeconfigPath, log: silentLogger });
    await installKinds(connection);
  });
  afterAll(async () => {
    await connection?.client.close();
    await cluster?.stop();
  });
  return {
    get cluster() {
      return cluster!;
    },
    get connection() {
      return connection!;
    },
  };
}
