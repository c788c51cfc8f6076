import type { GroupVersionResource, KubeObject } from '../object/index.ts';

export interface StoreEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubeObject;
  /** The previous state; absent for ADDED. */
  readonly previous?: KubeObject;
}

/**
 * The cluster as the simulated controllers see it. Reads come straight from the store and are synchronous. Objects are
 * immutable by convention: make a new one instead of changing one. Writes take the same path as external requests
 * (defaults, validation, admission webhooks, managed fields) and fail with StatusError.
 */
export interface InternalClient {
  get(type: GroupVersionResource, namespace: string, name: string): KubeObject | undefined;
  /** All namespaces when `namespace` is absent. */
  list(type: GroupVersionResource, namespace?: string): readonly KubeObject[];
  /**
   * Calls `handler` once per existing object (ADDED), then for every change, in order. Returns a function that stops
   * it.
   */
  watch(type: GroupVersionResource, handler: (event: StoreEvent) => void): () => void;
  create(type: GroupVersionResource, object: KubeObject): Promise<KubeObject>;
  /** Replaces the object; fails with 409 when `metadata.resourceVersion` is not the stored one. */
  update(type: GroupVersionResource, object: KubeObject, subresource?: 'status'): Promise<KubeObject>;
  delete(
    type: GroupVersionResource,
    namespace: string,
    name: string,
    options?: {
      readonly uid?: string;
      readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
      /** The kubelet removes a pod permanently. */
      readonly gracePeriodSeconds?: 0;
    },
  ): Promise<void>;
}
