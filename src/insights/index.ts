/**
 * The client of the Fairwinds Insights API, and its settings. Not here: the meaning of policies and jobs (sync, jobs);
 * this folder returns texts and lists and reports states.
 *
 * Invariants: the token leaves this folder only in the Authorization header to the configured host, never after a
 * redirect, and over plain HTTP only where that was allowed; no error or log line contains it. Every response is
 * bounded, and one that may be cut off is an error.
 */
export {
  type Claim,
  createInsightsClient,
  type InsightsClient,
  type JobStatus,
  type OnDemandJob,
  type PolicyStatus,
} from './client.ts';
export { createSettingsReader, type SettingsReader, type Variables } from './environment.ts';
export { InsightsError, type InsightsErrorCode } from './errors.ts';
export { createRedactor, redactLogs, redactValue } from './secret.ts';
export { type InsightsSettings, readInsightsSettings } from './settings.ts';
