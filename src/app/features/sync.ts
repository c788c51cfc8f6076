import { tmpdir } from 'node:os';
import { createPolicySync, createSyncMetrics, readSyncConfig } from '../sync.ts';
import type { WireFeature } from './feature.ts';

/** Policies from Insights, every SYNC_INTERVAL; on the leader alone. */
export const wireSync: WireFeature = ({ env, connection, namespace, metrics, log }) => ({
  runnables: [
    createPolicySync({
      config: readSyncConfig(env),
      connection,
      namespace,
      env,
      temporaryDir: tmpdir(),
      metrics: createSyncMetrics(metrics),
      log,
    }),
  ],
});
