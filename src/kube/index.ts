/**
 * The Kubernetes client: configuration and credentials, typed calls, discovery, watches, informers and events. Not
 * here: the meaning of kinds, queues and reconciling (controller), and any server (apiserver).
 *
 * Invariants: every failure is a KubeError or KubeConfigError and contains no credential; nothing is sent before the
 * first call; a call ends by its signal or its timeout, a watch by its signal or by a stall; an informer's handlers see
 * each (uid, resourceVersion) at most once and miss no object's last state.
 */
export { createKubeClient, type KubeClientOptions, type KubeConnection, type RawOptions } from './client.ts';
export type { ClusterConfig, ClusterTls, Environment } from './cluster-config.ts';
export {
  anonymous,
  bearer,
  type CredentialSource,
  type Credentials,
  KubeConfigError,
  staticCredentials,
} from './credentials.ts';
export { createDiscovery, type Discovery, type DiscoveryOptions } from './discovery.ts';
export type { DiscoveredType, DiscoveryFailure, DiscoverySource } from './discovery-fetch.ts';
export {
  isKubeError,
  KubeError,
  type KubeErrorCause,
  type KubeErrorCode,
  type KubeErrorDetails,
  type KubeErrorOptions,
} from './errors.ts';
export { type CorrelationLimits, type EventContent, type EventSubject, eventSubjectOf } from './event-correlation.ts';
export { createEventRecorder, type EventRecorder, type EventRecorderOptions } from './event-recorder.ts';
export { type InClusterOptions, loadInClusterConfig } from './in-cluster.ts';
export {
  type Added,
  createInformer,
  type Deleted,
  type Informer,
  type InformerHandler,
  type InformerOptions,
  type Updated,
} from './informer.ts';
export type { Indexes, IndexFunction } from './informer-cache.ts';
export {
  createInformerFactory,
  type InformerFactory,
  type Projection,
  type SharedInformerOptions,
} from './informer-factory.ts';
export { objectKey } from './informer-state.ts';
export { type KindFailure, withFailures } from './kind-failure.ts';
export { type KubeconfigOptions, loadClusterConfig, loadKubeconfig } from './kubeconfig.ts';
export { compareResourceVersions } from './resource-version.ts';
export type {
  ApplyOptions,
  CallOptions,
  DeleteOptions,
  KubeClient,
  ListOptions,
  ObjectKey,
  ObjectList,
  PatchBody,
  ResourceType,
  Selection,
  SkippedObject,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from './types.ts';
