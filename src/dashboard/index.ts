/**
 * The dashboard: every image of a cluster and its whole life, for people. Read-only. Kept in memory by watches; each
 * user gets what the API server lets them list. `protocol.ts` is what the page and other clients may rely on.
 */
export {};
