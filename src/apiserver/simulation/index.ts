/**
 * The cluster's controllers and kubelets, played: Deployments make Pods, Pods run, Jobs complete, and nothing is
 * ever executed. It writes through the internal client like any other client of the API server, keeps no state
 * that is not in the store (beyond times finer than a second), and can be stopped and started again at any point.
 * Not here: garbage collection, the lifecycle of namespaces, cluster addresses of Services; those are the server's.
 * Invariants: a store's callback only adds keys to queues; a key is worked on once at a time; a conflict is read
 * again, a refusal tried again with growing pauses; no list of all pods is walked for one pod's change.
 */
export { type BindPod, defaultSimulationOptions, type SimulationOptions } from './options.ts';
export { podLogs } from './pod-script.ts';
export { createSimulation, type Simulation, type SimulationSettings } from './simulation.ts';
