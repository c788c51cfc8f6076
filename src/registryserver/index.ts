/**
 * The embedded OCI registry: what `supercargo up` and the tests push to and pull from. It speaks the OCI distribution
 * specification 1.1 on loopback only, keeps blobs as files and everything else in a journal, and shares no code with the
 * client in `registry`, so that each is a witness for the other. It is no registry for production: one process, no
 * replication, files not forced to the disk.
 *
 * Invariants: a manifest is taken only when everything it names is there; a blob is taken only when its bytes have its
 * digest; memory does not depend on the size of a blob; every input has a limit.
 */
export { type RegistryLimits, type RegistryServer, type RegistryServerOptions, startRegistryServer } from './server.ts';
export type { GarbageOptions, GarbageReport } from './store/garbage.ts';
