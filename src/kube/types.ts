import type { GroupVersionResource, KubeObject } from '../object/index.ts';

/** One row of discovery: the name of a kind in URLs, and whether its objects are namespaced. */
export interface ResourceType extends GroupVersionResource {
  readonly kind: string;
  readonly namespaced: boolean;
}

export interface ObjectKey {
  readonly name: string;
  readonly namespace?: string | undefined;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface Selection {
  /** All namespaces when absent. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

export interface ListOptions extends CallOptions, Selection {
  readonly limit?: number | undefined;
  readonly continue?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan' | undefined;
  /** Requests PartialObjectMetadata: identity, labels and annotations without the body. */
  readonly metadataOnly?: boolean | undefined;
}

export interface ObjectList<T extends KubeObject = KubeObject> {
  readonly resourceVersion: string;
  readonly continue?: string | undefined;
  readonly remainingItemCount?: number | undefined;
  /** Each with apiVersion and kind filled in: lists omit them on the wire. */
  readonly items: readonly T[];
  /** The server's clock at the response, milliseconds since the epoch. */
  readonly serverTimeMs?: number | undefined;
  /** Only from `pages`: the list was restarted with this page, and earlier pages are void. */
  readonly startsOver?: boolean | undefined;
}

export interface WatchOptions extends CallOptions, Selection {
  readonly resourceVersion: string;
  readonly metadataOnly?: boolean | undefined;
  readonly timeoutSeconds?: number | undefined;
  /** The connection counts as stalled when nothing, not even a bookmark, arrived for this long. */
  readonly stallMs?: number | undefined;
}

export type WatchEvent<T extends KubeObject = KubeObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string };

/** An object of a list or watch that could not be handled and was skipped. */
export interface SkippedObject {
  readonly type: ResourceType;
  /** `namespace/name`, as far as it could be recovered. */
  readonly key: string;
  readonly error: string;
}

export interface WriteOptions extends CallOptions {
  readonly dryRun?: boolean | undefined;
  readonly fieldManager?: string | undefined;
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict' | undefined;
  /** `status`, `scale`, `eviction`, … */
  readonly subresource?: string | undefined;
  /** Create and replace: return only the metadata, where the object is large and known. */
  readonly metadataOnly?: boolean | undefined;
}

interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  readonly force?: boolean | undefined;
}

export interface DeleteOptions extends CallOptions {
  readonly dryRun?: boolean | undefined;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan' | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string } | undefined;
}

export type PatchBody =
  | { readonly type: 'json'; readonly body: readonly unknown[] }
  | { readonly type: 'merge' | 'strategic'; readonly body: Readonly<Record<string, unknown>> };

/** The API of the Kubernetes client for the rest of the program. Errors are KubeError. */
export interface KubeClient {
  get<T extends KubeObject>(type: ResourceType, key: ObjectKey, options?: CallOptions): Promise<T>;
  /** One page. */
  list<T extends KubeObject>(type: ResourceType, options?: ListOptions): Promise<ObjectList<T>>;
  /** Every page. When a continue token expires, starts over with a new list, marked `startsOver`. */
  pages<T extends KubeObject>(type: ResourceType, options?: ListOptions): AsyncGenerator<ObjectList<T>>;
  /** One connection's events; ends when the server closes it or it stalls, throws KubeError `kube-gone` on 410. */
  watch<T extends KubeObject>(type: ResourceType, options: WatchOptions): AsyncGenerator<WatchEvent<T>>;
  create<T extends KubeObject>(type: ResourceType, object: T, options?: WriteOptions): Promise<T>;
  replace<T extends KubeObject>(type: ResourceType, object: T, options?: WriteOptions): Promise<T>;
  patch<T extends KubeObject>(type: ResourceType, key: ObjectKey, patch: PatchBody, options?: WriteOptions): Promise<T>;
  /** Server-side apply. */
  apply<T extends KubeObject>(type: ResourceType, object: T, options: ApplyOptions): Promise<T>;
  delete(type: ResourceType, key: ObjectKey, options?: DeleteOptions): Promise<void>;
  deleteCollection(type: ResourceType, selection: Selection, options?: DeleteOptions): Promise<void>;
}
