/**
 * The simulated controllers and kubelets of the cluster: Deployments create Pods, Pods run, Jobs complete, and nothing
 * is executed. It writes through the internal client like any other client of the API server, keeps no state outside
 * the store (except times finer than a second), and can be stopped and started again at any point. Not here: garbage
 * collection, the lifecycle of namespaces, cluster addresses of Services; those belong to the server.
 *
 * Invariants: a store callback only adds keys to queues; a key is processed once at a time; a conflict is retried with
 * a fresh read, a denial with backoff; no list of all pods is scanned for one pod's change.
 */
export type { SimulationOptions } from './options.ts';
export { podLogs } from './pod-script.ts';
export { createSimulation } from './simulation.ts';
