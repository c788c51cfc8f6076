import { type Clock, isJsonObject, type JsonObject, maxYamlBytes, parseJson, systemClock } from '../base/index.ts';
import type { InsightsSettings } from './settings.ts';
import { badResponse, createTransport, type InsightsTransport, type TransportOptions } from './transport.ts';

/** The result of one policy, in the form of `policies/apply-status`. */
export interface PolicyStatus {
  readonly policyName: string;
  readonly reportType: 'kyverno';
  readonly action: 'apply' | 'delete';
  readonly status: 'success' | 'failed';
  /** RFC 3339. */
  readonly lastAppliedAt: string;
  readonly policyBody: string;
  readonly output: string;
}

export interface OnDemandJob {
  /** As text: Insights uses 64-bit job ids. */
  readonly id: string;
  readonly reportType: string;
  readonly options: JsonObject;
}

export interface Claim {
  readonly jobs: readonly OnDemandJob[];
  /** Entries without an id: their status cannot be reported. */
  readonly unreadable: number;
}

export type JobStatus = 'running' | 'completed' | 'failed';

/** The calls of the Insights API that the program makes. Errors are InsightsError. */
export interface InsightsClient {
  /** The desired policies of the cluster: YAML of several documents, not yet parsed. */
  fetchPolicies(signal: AbortSignal): Promise<string>;
  reportPolicyStatus(status: PolicyStatus, signal: AbortSignal): Promise<void>;
  /**
   * Claims at most `limit` jobs. Not retried: jobs stay claimed although the response was lost, and the caller polls
   * again anyway.
   */
  claimJobs(limit: number, signal: AbortSignal): Promise<Claim>;
  reportJobStatus(id: string, status: JobStatus, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

interface InsightsClientOptions extends Partial<TransportOptions> {
  readonly clock?: Clock;
}

const retries = 3;
/** Far larger than any response about jobs or states. */
const maxJsonBytes = 1024 * 1024;
/** A response with more jobs than this is invalid. */
const maxClaimed = 1000;

/** Opens no connection until the first call. */
export function createInsightsClient(settings: InsightsSettings, options: InsightsClientOptions = {}): InsightsClient {
  const transport: InsightsTransport = createTransport(settings, {
    clock: systemClock,
    random: Math.random,
    userAgent: 'supercargo',
    attemptMs: 14_000,
    totalMs: 60_000,
    backoff: { baseMs: 500, maxMs: 4_000 },
    ...options,
  });
  const json = { accept: 'application/json', maxBytes: maxJsonBytes };
  return {
    async fetchPolicies(signal) {
      const what = 'fetching policies';
      const path = '/kyverno-policies/with-app-groups-applied/yaml';
      const accept = 'application/yaml, text/yaml, text/plain, */*;q=0.1';
      const response = await transport.call({
        what,
        method: 'GET',
        path,
        accept,
        retries,
        maxBytes: maxYamlBytes,
        signal,
      });
      if (/^(text\/html|application\/xhtml)/i.test(response.contentType) || response.text.trimStart().startsWith('<'))
        throw badResponse(what, 'the response is a web page, not policies; check FAIRWINDS_INSIGHTS_HOST');
      return response.text;
    },
    async reportPolicyStatus(status, signal) {
      const what = `reporting policy ${status.policyName}`;
      const path = '/policies/apply-status';
      await transport.call({ ...json, what, method: 'PUT', path, body: JSON.stringify(status), retries, signal });
    },
    async claimJobs(limit, signal) {
      const what = 'claiming jobs';
      const path = `/reports/on-demand-jobs/claim?limit=${limit}`;
      const { text } = await transport.call({ ...json, what, method: 'POST', path, retries: 0, signal });
      return parseClaimed(text, what);
    },
    async reportJobStatus(id, status, signal) {
      const what = `reporting job ${id}`;
      const path = `/reports/on-demand-jobs/${encodeURIComponent(id)}/status`;
      await transport.call({ ...json, what, method: 'PATCH', path, body: JSON.stringify({ status }), retries, signal });
    },
    close: () => transport.close(),
  };
}

/** Parses the response to a claim. Some servers send null or nothing for an empty list. */
function parseClaimed(text: string, what: string): Claim {
  if (text.trim() === '') return { jobs: [], unreadable: 0 };
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    throw badResponse(what, `the response of ${text.length} characters is not JSON`);
  }
  if (value === null) return { jobs: [], unreadable: 0 };
  if (!Array.isArray(value)) throw badResponse(what, 'the response is not a list of jobs');
  if (value.length > maxClaimed) throw badResponse(what, `the response holds more than ${maxClaimed} jobs`);
  const jobs = value.map(parseJob).filter((job) => job !== undefined);
  return { jobs, unreadable: value.length - jobs.length };
}

/** Keeps a job without a type: it has an id, so it can be reported as failed. */
function parseJob(entry: unknown): OnDemandJob | undefined {
  if (!isJsonObject(entry)) return undefined;
  const { id, reportType, options } = entry;
  const isNumber = (typeof id === 'number' && Number.isSafeInteger(id)) || typeof id === 'bigint';
  const isText = typeof id === 'string' && id !== '' && id.length <= 200;
  if (!isNumber && !isText) return undefined;
  return {
    id: String(id),
    reportType: typeof reportType === 'string' ? reportType.slice(0, 200) : '',
    options: isJsonObject(options) ? options : {},
  };
}
