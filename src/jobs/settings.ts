import type { SettingsReader } from '../insights/index.ts';
import { type JobTypes, readJobTypes } from './types.ts';

export interface JobSettings {
  readonly types: JobTypes;
  readonly maxConcurrentJobs: number;
  readonly pollIntervalMs: number;
}

export function readJobSettings(reader: SettingsReader): JobSettings {
  return {
    types: readJobTypes(reader, 'JOB_TYPES'),
    maxConcurrentJobs: reader.integer('MAX_CONCURRENT_JOBS', 10, { min: 1, max: 100 }),
    pollIntervalMs: reader.durationMs('POLL_INTERVAL', '15s'),
  };
}
