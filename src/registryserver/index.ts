/**
 * The embedded OCI registry, for `supercargo up` and the tests. It implements the OCI distribution specification 1.1 on
 * loopback only, stores blobs as files and everything else in a journal, and shares no code with the client in
 * `registry`, so that each is an oracle for the other. It is not a registry for production: one process, no
 * replication, no fsync.
 *
 * Invariants: a manifest is accepted only when everything it names exists; a blob is accepted only when its bytes have
 * its digest; memory use does not depend on the size of a blob; every input has a limit.
 */
export { type RegistryServer, type RegistryServerOptions, startRegistryServer } from './server.ts';
