import type { SettingsReader } from '../insights/index.ts';
import { parseDurationMs, validateDnsSubdomain } from '../object/index.ts';

/** How jobs of one type run. */
export interface JobType {
  /** The CronJob whose template is used. */
  readonly cronJob: string;
  readonly timeoutMs: number;
  /** False if a second attempt of a failed pod would do harm. */
  readonly retries: boolean;
}

export type JobTypes = ReadonlyMap<string, JobType>;

const minute = 60_000;
const names = [
  'trivy',
  'cloudcosts',
  'falco',
  'nova',
  'pluto',
  'polaris',
  'prometheus-metrics',
  'goldilocks',
  'rbac-reporter',
  'right-sizer',
  'workloads',
  'kube-hunter',
  'kube-bench',
  'kyverno',
  'kyverno-policy-sync',
  'gonogo',
  'image-trust',
];
const slow = new Set(['trivy', 'image-trust']);

export const policySyncType = 'kyverno-policy-sync';

function defaultType(name: string): JobType {
  const isSync = name === policySyncType;
  return { cronJob: name, timeoutMs: (slow.has(name) ? 20 : isSync ? 10 : 5) * minute, retries: !isSync };
}

/** All known job types of Insights. */
export const defaultJobTypes: JobTypes = new Map(names.map((name) => [name, defaultType(name)]));

/**
 * Parses a list such as `trivy, nova:10m, audit=audit-cronjob:15m`: the types to run, each with an optional CronJob
 * name and time-out. Errors go to the settings reader.
 */
export function readJobTypes(reader: SettingsReader, variable: string): JobTypes {
  const text = reader.optional(variable);
  if (text === undefined) return defaultJobTypes;
  const types = new Map<string, JobType>();
  for (const entry of text.split(',').map((part) => part.trim())) {
    const [, name = '', cronJob, timeout] = /^([^=:]+)(?:=([^:]+))?(?::(.+))?$/.exec(entry) ?? [];
    if (validateDnsSubdomain(name).length > 0 || (cronJob !== undefined && validateDnsSubdomain(cronJob).length > 0)) {
      reader.mistake(variable, `has the entry ${JSON.stringify(entry)}, which is not of the form type=cronjob:5m`);
      continue;
    }
    try {
      const timeoutMs = timeout === undefined ? defaultType(name).timeoutMs : parseDurationMs(timeout);
      types.set(name, { ...defaultType(name), ...(cronJob === undefined ? {} : { cronJob }), timeoutMs });
    } catch {
      reader.mistake(variable, `has the entry ${JSON.stringify(entry)} with a time-out that is not a duration`);
    }
  }
  return types;
}
