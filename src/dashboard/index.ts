/**
 * The dashboard: every image of a cluster and its whole life, for people. Read-only. `protocol.ts` is what the page and
 * other clients may rely on. Facts are kept in memory by watches (`feed.ts`, `cargo.ts`); answers are computed from
 * them for each user.
 *
 * Invariants: nothing is written to the cluster; a user gets rows, counts and names only of objects that the API server
 * lets them list; an image that was replaced by its copy is its source; texts of objects are data.
 */
export { createDashboard } from './dashboard.ts';
export type { ExplainRule, ExplainSubject } from './explain.ts';
export type { ExplainNode, ImageAnswer, ImageRow, Overview } from './protocol.ts';
export { type CargoReader, readCargo } from './reader.ts';
export { optionalGroups } from './system.ts';
