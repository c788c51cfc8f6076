import { tmpdir } from 'node:os';
import { createJobMetrics } from '../../jobs/index.ts';
import { createOnDemandJobs, readJobsConfig } from '../jobs.ts';
import type { WireFeature } from './feature.ts';

/** On-demand jobs of Insights; only on the leader. */
export const wireJobs: WireFeature = ({ config, env, connection, namespace, metrics, log }) => ({
  runnables: [
    createOnDemandJobs({
      config: readJobsConfig(env),
      connection,
      namespace,
      installation: config.installation,
      env,
      temporaryDir: tmpdir(),
      metrics: createJobMetrics(metrics),
      log,
    }),
  ],
});
