/**
 * The Kubernetes client: configuration and credentials, typed calls, discovery, watches, informers and events. Not
 * here: the meaning of kinds, queues and reconciling (controller), and any server (apiserver).
 *
 * Invariants: every failure is a KubeError or KubeConfigError and contains no credential; nothing is sent before the
 * first call; a call ends by its signal or its timeout, a watch by its signal or by a stall; an informer's handlers see
 * each (uid, resourceVersion) at most once and miss no object's last state.
 */
export { createKubeClient, type KubeClientOptions, type KubeConnection } from './client.ts';
export type { Environment } from './cluster-config.ts';
export { bearer, staticCredentials } from './credentials.ts';
export { createDiscovery, type Discovery } from './discovery.ts';
export type { DiscoveredType } from './discovery-fetch.ts';
export { isKubeError, KubeError, type KubeErrorCode } from './errors.ts';
export { type EventContent, type EventSubject, eventSubjectOf } from './event-correlation.ts';
export { createEventRecorder, type EventRecorder } from './event-recorder.ts';
export {
  type Added,
  createInformer,
  type Deleted,
  type Informer,
  type InformerHandler,
  isLasting,
  type LastingFailure,
  type Updated,
} from './informer.ts';
export { createInformerFactory, type InformerFactory } from './informer-factory.ts';
export { objectKey } from './informer-state.ts';
export { type KindFailure, withFailures } from './kind-failure.ts';
export { loadClusterConfig } from './kubeconfig.ts';
export { compareResourceVersions } from './resource-version.ts';
export type {
  CallOptions,
  KubeClient,
  ListOptions,
  ObjectKey,
  ObjectList,
  ResourceType,
  SkippedObject,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from './types.ts';
