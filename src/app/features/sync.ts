import { tmpdir } from 'node:os';
import { createPolicySync, createSyncMetrics, readSyncConfig } from '../sync.ts';
import type { WireFeature } from './feature.ts';

/** Policies from Insights, every SYNC_INTERVAL; only on the leader. */
export const wireSync: WireFeature = ({ config, env, connection, namespace, metrics, log }) => ({
  runnables: [
    createPolicySync({
      config: readSyncConfig(env),
      connection,
      namespace,
      installation: config.installation,
      env,
      temporaryDir: tmpdir(),
      metrics: createSyncMetrics(metrics),
      log,
    }),
  ],
});
