/**
 * Runs the work on cluster objects: workqueues, the reconcile contract, the manager that starts and stops runnables
 * together, and leader election. It knows no feature and no kind except Lease; keys are opaque text.
 *
 * Invariants: a key is never processed twice at once, and its last add is followed by a full run. Work bound to
 * leadership has stopped before the lease is released. Times in a lease are the API server's; clocks of other replicas
 * do not matter. A lease is not fencing: writes of a leader must still be idempotent or have preconditions.
 */
export {
  type Controller,
  createController,
  type KeySink,
  type Reconcile,
  type ReconcileResult,
  type Source,
} from './controller.ts';
export { type InformerChange, informerRunnable, informerSource } from './informer-source.ts';
export { createLeaderElection, type LeaderElection, type LeaderElectionOptions } from './leader-election.ts';
export { createLeadershipHost } from './leadership-host.ts';
export type { Candidacy, FromLeadershipHost, ToLeadershipHost } from './leadership-messages.ts';
export { type Lease, leaseAgeMs, leaseType, readLease } from './lease.ts';
export { createManager, createSoleLeadership, type Leadership, type Manager, type Readiness } from './manager.ts';
export { type ControllerMetrics, createControllerMetrics } from './metrics.ts';
export { createRemoteLeaderships } from './remote-leadership.ts';
export { type Runnable, startOrder } from './stages.ts';
export { createWorkqueue, type Workqueue, type WorkqueueMetrics } from './workqueue.ts';
