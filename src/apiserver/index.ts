/**
 * An embedded Kubernetes API server: the API of one pinned kube-apiserver version, with simulated controllers and
 * nodes, in this process and on loopback. It is for trying, developing and testing; it checks no permissions unless it
 * is given an authorizer, and runs no containers. It shares no code with the client in `kube`, so that each is an oracle for the other; one contract
 * suite compares it with the real server.
 *
 * Invariants: a change is on disk (when there is one) before it is acknowledged, and stored before a watcher receives
 * it; every watcher sees the changes of a resource in the order of their resourceVersions; a failed request leaves no
 * trace.
 */
export { checkCustomResource } from './custom-resource-check.ts';
export { type ApiServerOptions, startApiServer } from './server.ts';
