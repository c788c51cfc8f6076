/**
 * Keeps the cluster's Kyverno policies equal to those of Insights: fetch, plan, validate, execute, report. Not here:
 * what a policy means (a validator is passed in) and the calls to Insights (insights).
 *
 * Invariants: only a policy with the annotation of Insights is ever written or deleted, and only the exact object that
 * the plan was made from; a response that is empty, truncated or not fully understood removes nothing; in atomic mode a
 * run changes everything it planned or rolls back, and reports if it cannot.
 */

export { diffLines } from './diff.ts';
export { createFileLock } from './file-lock.ts';
export { readIncoming } from './incoming.ts';
export { createKyvernoCliValidator } from './kyverno-cli.ts';
export { createLeaseLock } from './lease-lock.ts';
export { type SyncLock, SyncLockedError, withLock } from './lock.ts';
export { createSyncMetrics, type SyncMetrics } from './metrics.ts';
export { planSync } from './plan.ts';
export { ownerAnnotation, ownerValue, refOf } from './policy.ts';
export { policyKindsOf } from './policy-kinds.ts';
export { ownProcess } from './process-identity.ts';
export { repeatSync } from './repeat.ts';
export type { SyncLine, SyncResult } from './result.ts';
export type { SyncOutput } from './run-log.ts';
export { createRunStore } from './run-store.ts';
export { readSyncSettings, type SyncSettings } from './settings.ts';
export { notRunLine, runSync, type SyncOptions } from './sync.ts';
export type { PolicyValidator } from './validate.ts';
