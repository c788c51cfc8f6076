/**
 * The client of the Fairwinds Insights API, and the settings that say where it is. Not here: what policies and jobs
 * mean (sync, jobs); this folder gets texts and lists and hands states back.
 *
 * Invariants: the token leaves this folder only in the Authorization header to the configured host, never after a
 * redirect, and in the clear only where that was allowed; no error or log line carries it. Every answer is bounded,
 * and one that may be cut off is no answer.
 */
export {
  type Claim,
  createInsightsClient,
  type InsightsClient,
  type InsightsClientOptions,
  type JobStatus,
  type OnDemandJob,
  type PolicyStatus,
} from './client.ts';
export { createSettingsReader, type SettingsReader, type Variables } from './environment.ts';
export { InsightsError, type InsightsErrorCode } from './errors.ts';
export { createRedactor, type Redact, redactLogs, redactValue, Secret } from './secret.ts';
export { type InsightsSettings, readInsightsSettings } from './settings.ts';
