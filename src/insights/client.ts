import { type Clock, isJsonObject, type JsonObject, maxYamlBytes, parseJson, systemClock } from '../base/index.ts';
import type { InsightsSettings } from './settings.ts';
import { badAnswer, createTransport, type InsightsTransport, type TransportOptions } from './transport.ts';

/** What became of one policy, as `policies/apply-status` takes it. */
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
  /** As text: Insights numbers its jobs with 64 bits. */
  readonly id: string;
  readonly reportType: string;
  readonly options: JsonObject;
}

export interface Claim {
  readonly jobs: readonly OnDemandJob[];
  /** Entries without an id: nobody can be told what became of them. */
  readonly unreadable: number;
}

export type JobStatus = 'running' | 'completed' | 'failed';

/** The calls of the Insights API that the program makes. Errors are InsightsError. */
export interface InsightsClient {
  /** The policies that the cluster should have: YAML of several documents, not yet parsed. */
  fetchPolicies(signal: AbortSignal): Promise<string>;
  reportPolicyStatus(status: PolicyStatus, signal: AbortSignal): Promise<void>;
  /**
   * Takes at most `limit` jobs. Not repeated by itself: an answer that got lost has claimed jobs all the same, and
   * whoever polls comes back anyway.
   */
  claimJobs(limit: number, signal: AbortSignal): Promise<Claim>;
  reportJobStatus(id: string, status: JobStatus, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export interface InsightsClientOptions extends Partial<TransportOptions> {
  readonly clock?: Clock;
}

const retries = 3;
/** Far beyond any answer about jobs or states. */
const maxJsonBytes = 1024 * 1024;
/** More jobs than this in one answer are no answer to a claim of ours. */
const maxClaimed = 1000;

/** Opens nothing until the first call. */
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
      const answer = await transport.call({
        what,
        method: 'GET',
        path,
        accept,
        retries,
        maxBytes: maxYamlBytes,
        signal,
      });
      if (/^(text\/html|application\/xhtml)/i.test(answer.contentType) || answer.text.trimStart().startsWith('<'))
        throw badAnswer(what, 'the answer is a web page, not policies; check FAIRWINDS_INSIGHTS_HOST');
      return answer.text;
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

/** Reads the answer to a claim; null and nothing at all are how some servers write an empty list. */
function parseClaimed(text: string, what: string): Claim {
  if (text.trim() === '') return { jobs: [], unreadable: 0 };
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    throw badAnswer(what, `the answer of ${text.length} characters is not JSON`);
  }
  if (value === null) return { jobs: [], unreadable: 0 };
  if (!Array.isArray(value)) throw badAnswer(what, 'the answer is not a list of jobs');
  if (value.length > maxClaimed) throw badAnswer(what, `the answer holds more than ${maxClaimed} jobs`);
  const jobs = value.map(parseJob).filter((job) => job !== undefined);
  return { jobs, unreadable: value.length - jobs.length };
}

/** A job without a type is kept: it has an id, so that it can be reported as failed. */
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
