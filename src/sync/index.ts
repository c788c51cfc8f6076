/**
 * Keeps the cluster's Kyverno policies equal to those of Insights: fetch, plan, validate, execute, report. Not here:
 * what a policy means (a validator is passed in) and the calls to Insights (insights).
 *
 * Invariants: only a policy with the annotation of Insights is ever written or deleted, and only the exact object that
 * the plan was made from; a response that is empty, truncated or not fully understood removes nothing; in atomic mode a
 * run changes everything it planned or rolls back, and reports if it cannot.
 */

export { diffLines, renderDiff } from './diff.ts';
export { createFileLock, type FileLockOptions } from './file-lock.ts';
export { type DesiredPolicy, type Incoming, readIncoming } from './incoming.ts';
export { createKyvernoCliValidator, type KyvernoCliOptions } from './kyverno-cli.ts';
export { createLeaseLock, type LeaseLockOptions, lockName } from './lease-lock.ts';
export { type SyncLock, SyncLockedError, type WithLockOptions, withLock } from './lock.ts';
export { createSyncMetrics, type SyncMetrics } from './metrics.ts';
export { type CurrentPolicy, type Operation, type PlanOptions, planSync, type SyncPlan, withoutNoOps } from './plan.ts';
export { ownerAnnotation, ownerValue, type PolicyRef, type Refusal, refOf } from './policy.ts';
export { type PolicyKinds, policyKindsOf } from './policy-kinds.ts';
export { ownProcess, type PodIdentity, type ProcessIdentity } from './process-identity.ts';
export { type RepeatOptions, repeatSync } from './repeat.ts';
export type { ReportPolicy } from './report-status.ts';
export { closingLine, type SyncFailure, type SyncLine, type SyncOutcome, type SyncResult } from './result.ts';
export type { SyncOutput } from './run-log.ts';
export { readSyncSettings, type SyncMode, type SyncSettings } from './settings.ts';
export { notRunLine, runSync, type SyncOptions } from './sync.ts';
export type { PolicyValidator } from './validate.ts';
