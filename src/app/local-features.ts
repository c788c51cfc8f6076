import { errorMessage, type Logger, systemClock } from '../base/index.ts';
import { type Environment, isKubeError, type ResourceType } from '../kube/index.ts';
import { createClusterProgram } from './cluster.ts';
import { configOf, type FeatureName } from './config.ts';
import { connect } from './connect.ts';
import { applyDefinitions, definitionsServed } from './definitions.ts';

export interface LocalFeaturesOptions {
  readonly kubeconfig: string;
  readonly features: readonly FeatureName[];
  /** The embedded registry; copies of images go there. */
  readonly registry: string;
  readonly env: Environment;
  readonly log: Logger;
}

/** The features beside an embedded cluster. */
export interface LocalFeatures {
  /** Resolves when everything has stopped; webhooks are removed from the cluster first. */
  stop(): Promise<void>;
  /** Rejects when a feature failed. */
  readonly failed: Promise<never>;
}

const namespaces: ResourceType = {
  group: '',
  version: 'v1',
  resource: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
};
const installation = 'supercargo';
const namespace = 'supercargo';

/** Runs the features in this process against the embedded cluster; resolves when they are ready. */
export async function startLocalFeatures(options: LocalFeaturesOptions): Promise<LocalFeatures> {
  const { kubeconfig, features, registry, log } = options;
  // A trial cluster must not write to the registry that the shell's environment names for the real one.
  const { BACKUP_REGISTRY: _, BACKUP_REGISTRY_USERNAME: __, BACKUP_REGISTRY_PASSWORD: ___, ...env } = options.env;
  const connection = await connect({ env: {}, kubeconfig, log });
  const { client } = connection;
  const end = new AbortController();
  try {
    await Promise.all([
      applyDefinitions(client, installation),
      client
        .create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
        .catch((thrown) => {
          if (!isKubeError(thrown, 'kube-already-exists')) throw thrown;
        }),
    ]);
    await definitionsServed(client, { signal: end.signal, pause: (signal) => systemClock.sleep(10, signal) });
    const program = await createClusterProgram({
      // One process with its own cluster: no other replica can lead, and every policy and exception in it counts.
      config: configOf({
        installation,
        namespace,
        features: [...features],
        policies: { selector: {}, exceptionNamespaces: ['*'] },
        webhook: { port: 0, exposure: 'loopback', removeOnStop: true },
        lookUps: { allowAnyAddress: true },
        network: { allowLoopback: true },
        create: { allowLocalRepositories: true, allowLoopback: true },
        generate: { trustReviews: true },
        mirror: { registry: `${registry}/copies`, plainHttpRegistries: [registry], trustReviews: true },
        leaderElection: { enabled: false },
      }),
      connection,
      env,
      servesStatus: false,
      log,
    });
    const running = program.run(end.signal);
    const failed = running.then(
      () => new Promise<never>(() => {}),
      (thrown: unknown) => Promise.reject(thrown),
    );
    await Promise.race([failed, settled(program.isSettled)]);
    failed.catch((thrown) => log.error('a feature failed', { error: errorMessage(thrown) }));
    return {
      failed,
      async stop() {
        end.abort();
        await running.catch(() => {});
        await client.close();
      },
    };
  } catch (thrown) {
    end.abort();
    await client.close();
    throw thrown;
  }
}

async function settled(isSettled: () => boolean): Promise<void> {
  while (!isSettled()) await systemClock.sleep(5);
}
