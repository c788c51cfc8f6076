import { randomBytes } from 'node:crypto';
import { errorMessage, type Logger, systemClock } from '../base/index.ts';
import { type Environment, isKubeError, type ResourceType } from '../kube/index.ts';
import { createClusterProgram } from './cluster.ts';
import { configOf, type FeatureName } from './config.ts';
import { connect } from './connect.ts';
import { applyDefinitions, definitionsServed } from './definitions.ts';
import type { DashboardPlace } from './features/index.ts';
import { localInstallation } from './local-installation.ts';

export interface LocalFeaturesOptions {
  readonly kubeconfig: string;
  readonly features: readonly FeatureName[];
  /** The embedded registry; copies of images go there. */
  readonly registry: string;
  readonly env: Environment;
  /** The worker program and the files of the page. */
  readonly dashboard: Pick<DashboardPlace, 'worker' | 'page' | 'version'>;
  readonly log: Logger;
}

/** The features beside an embedded cluster. */
export interface LocalFeatures {
  /** The link to the page, with the token that opens it; undefined without the feature. */
  readonly dashboard: string | undefined;
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
const { installation, namespace } = localInstallation;

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
    const page = features.includes('dashboard') ? openLink(options.dashboard) : undefined;
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
        cleanup: { namespacedResources: ['*'] },
        mirror: { registry: `${registry}/copies`, plainHttpRegistries: [registry], trustReviews: true },
        leaderElection: { enabled: false },
        dashboard: { port: 0 },
      }),
      connection,
      dashboard: page?.place,
      env,
      servesStatus: false,
      log,
    });
    const running = program.run(end.signal);
    const failed = running.then(
      () => new Promise<never>(() => {}),
      (thrown: unknown) => Promise.reject(thrown),
    );
    const [link] = await Promise.race([failed, Promise.all([page?.link, settled(program.isSettled)])]);
    failed.catch((thrown) => log.error('a feature failed', { error: errorMessage(thrown) }));
    return {
      failed,
      dashboard: link,
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

/** A link for whoever reads the terminal: the fragment with the token is sent to no server and no log. */
function openLink(given: LocalFeaturesOptions['dashboard']) {
  const linkToken = randomBytes(24).toString('base64url');
  let listening: (port: number) => void = () => {};
  const port = new Promise<number>((resolve) => {
    listening = resolve;
  });
  const place: DashboardPlace = { ...given, linkToken, onListening: listening };
  return { place, link: port.then((number) => `http://127.0.0.1:${number}/#token=${linkToken}`) };
}

async function settled(isSettled: () => boolean): Promise<void> {
  while (!isSettled()) await systemClock.sleep(5);
}
