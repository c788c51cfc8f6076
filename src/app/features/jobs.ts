import { tmpdir } from 'node:os';
import { createOnDemandJobs, readJobsConfig } from '../jobs.ts';
import type { WireFeature } from './feature.ts';

/** Jobs that Insights asks for; on the leader alone. */
export const wireJobs: WireFeature = ({ config, env, connection, namespace, log }) => ({
  runnables: [
    createOnDemandJobs({
      config: readJobsConfig(env),
      connection,
      namespace,
      installation: config.installation,
      env,
      temporaryDir: tmpdir(),
      log,
    }),
  ],
});
