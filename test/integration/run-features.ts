import { createClusterProgram } from '../../src/app/cluster.ts';
import { configOf, type FeatureName } from '../../src/app/config.ts';
import { type Connection, connect } from '../../src/app/connect.ts';
import { applyDefinitions, definitionsServed } from '../../src/app/definitions.ts';
import { type Clock, type Logger, silentLogger, systemClock } from '../../src/base/index.ts';
import type { Cluster } from '../support/real-cluster.ts';
import { eventually } from '../support/wait.ts';

/** Our kinds, served. */
export async function installKinds({ client, discovery }: Connection): Promise<void> {
  await applyDefinitions(client, 'supercargo');
  const signal = AbortSignal.timeout(120_000);
  await definitionsServed(client, { signal, pause: () => systemClock.sleep(25, signal) });
  discovery.invalidate();
}

export interface RunningFeatures {
  readonly connection: Connection;
  stop(): Promise<void>;
}

export interface RunOptions {
  readonly log?: Logger;
  readonly env?: Readonly<Record<string, string>>;
  /** What the program speaks to the API server with, in place of the administrator's connection. */
  readonly connection?: (administrator: Connection) => Promise<Connection> | Connection;
  /** Told the address of `/metrics`. */
  readonly onListening?: (address: string) => void;
  readonly clock?: Clock | undefined;
  /** In place of the defaults. */
  readonly config?: Omit<Parameters<typeof configOf>[0], 'features'>;
}

/** Runs features in this process against a cluster, as `supercargo run` would; ready when it answers. */
export async function runFeatures(
  cluster: Pick<Cluster, 'kubeconfigPath'>,
  features: readonly FeatureName[],
  {
    log = silentLogger,
    env = {},
    config = {},
    clock,
    onListening,
    connection: change = (given) => given,
  }: RunOptions = {},
): Promise<RunningFeatures> {
  const connection = await change(await connect({ env: {}, kubeconfig: cluster.kubeconfigPath, log }));
  const program = await createClusterProgram({
    config: configOf({
      namespace: connection.client.config.namespace,
      features: [...features],
      server: { port: 0 },
      leaderElection: { enabled: false },
      // The API server is on this machine as well.
      // The name that the installation of a test gives its one part.
      webhook: { port: 0, exposure: 'loopback', removeOnStop: true, service: { name: 'supercargo-all-webhook' } },
      network: { allowLoopback: true },
      ...config,
    }),
    connection,
    env,
    clock,
    log,
    ...(onListening ? { onListening } : {}),
  });
  const stopping = new AbortController();
  const done = program.run(stopping.signal);
  // A failure to start must end the wait for readiness.
  await Promise.race([
    done.then(() => Promise.reject(new Error('the program ended before it was ready'))),
    eventually(
      () => {
        const { ready, reasons } = program.isReady();
        if (!ready || !program.isSettled()) throw new Error(reasons.join('; ') || 'webhooks are not registered');
      },
      { timeoutMs: 30_000 },
    ),
  ]);
  return {
    connection,
    async stop() {
      stopping.abort();
      await done;
      await connection.client.close();
    },
  };
}
