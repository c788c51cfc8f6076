import { type Clock, type Logger, renderJson, silentLogger, systemClock } from '../base/index.ts';
import type { KubeObject } from '../object/index.ts';
import type { ClusterConfig } from './cluster-config.ts';
import { isKubeError } from './errors.ts';
import { metadataAccept, parseList, parseObject } from './objects.ts';
import {
  collectionPath,
  createPath,
  deleteBody,
  keyOf,
  listQuery,
  objectPath,
  renderQuery,
  selectionQuery,
  writeQuery,
} from './paths.ts';
import { createTransport, type TransportOptions, type TransportRequest, type TransportResponse } from './transport.ts';
import type { CallOptions, KubeClient, ListOptions, ObjectList, PatchBody, ResourceType } from './types.ts';
import { watchOnce } from './watch.ts';

export interface KubeClientOptions extends Partial<TransportOptions> {
  readonly log?: Logger;
  readonly clock?: Clock;
  readonly random?: () => number;
  /** For writes that set no field manager. */
  readonly fieldManager?: string;
  /** Objects per page where the caller of `pages` sets none. */
  readonly pageSize?: number;
}

interface RawOptions extends CallOptions {
  readonly accept?: string | undefined;
  /** Sent as JSON with POST; without it the call is a GET. */
  readonly post?: unknown;
  /** A longer response is an error; the client's own limit when absent. */
  readonly maxResponseBytes?: number | undefined;
}

/** A client with the extra methods for discovery, health checks and shutdown. */
export interface KubeConnection extends KubeClient {
  /**
   * Requests a path of the server as given: discovery, `/version`, an API call of a policy. The response must be JSON.
   */
  raw(path: string, options?: RawOptions): Promise<TransportResponse>;
  readonly config: ClusterConfig;
  /** Aborts every active call and watch. */
  close(): Promise<void>;
}

const contentTypes: Readonly<Record<PatchBody['type'] | 'apply', string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  // JSON is YAML.
  apply: 'application/apply-patch+yaml',
};

const defaults = {
  userAgent: 'supercargo',
  fetchTimeoutMs: 60_000,
  connectTimeoutMs: 10_000,
  maxConnections: 16,
  maxThrottleRetries: 4,
  maxRetryAfterMs: 30_000,
  maxResponseBytes: 512 << 20,
};

/** How often an expired paged list is restarted before it is requested in one piece. */
const pagedAttempts = 2;

/** Opens no connection until the first call. */
export function createKubeClient(config: ClusterConfig, options: KubeClientOptions = {}): KubeConnection {
  const { log = silentLogger, clock = systemClock, random = Math.random, pageSize = 500 } = options;
  const transport = createTransport(config, { ...defaults, ...options, log, clock });
  const watchContext = { transport, clock, log, random };

  const write = async <T extends KubeObject>(
    request: Omit<TransportRequest, 'body'>,
    body: unknown,
    contentType = 'application/json',
  ): Promise<T> => {
    const response = await transport.call({ ...request, contentType, body: renderJson(body) });
    return parseObject<T>(response.value, request);
  };
  const withManager = <T extends { readonly fieldManager?: string | undefined }>(given: T): T =>
    given.fieldManager === undefined && options.fieldManager !== undefined
      ? { ...given, fieldManager: options.fieldManager }
      : given;

  const list = async <T extends KubeObject>(type: ResourceType, given: ListOptions = {}): Promise<ObjectList<T>> => {
    const request = { method: 'GET', path: collectionPath(type, given.namespace) } as const;
    const response = await transport.call({
      ...request,
      query: listQuery(given),
      accept: given.metadataOnly ? metadataAccept('PartialObjectMetadataList') : 'application/json',
      signal: given.signal,
    });
    return parseList<T>(response, type, request);
  };

  return {
    config,
    list,
    async get(type, key, given = {}) {
      const request = { method: 'GET', path: objectPath(type, key) } as const;
      return parseObject((await transport.call({ ...request, signal: given.signal })).value, request);
    },
    async *pages<T extends KubeObject>(type: ResourceType, given: ListOptions = {}) {
      let attempt = 1;
      let hasExpired = false;
      let token = given.continue;
      for (;;) {
        // A resourceVersion is only valid for the first page: the continue token carries it.
        const first =
          token === undefined ? given : { ...given, resourceVersion: undefined, resourceVersionMatch: undefined };
        const limit = attempt > pagedAttempts ? undefined : (given.limit ?? pageSize);
        let page: ObjectList<T>;
        try {
          page = await list<T>(type, { ...first, limit, continue: token });
        } catch (thrown) {
          if (token === undefined || !isKubeError(thrown, 'kube-gone')) throw thrown;
          attempt++;
          hasExpired = true;
          token = undefined;
          continue;
        }
        yield hasExpired ? { ...page, startsOver: true } : page;
        hasExpired = false;
        token = page.continue;
        if (token === undefined) return;
      }
    },
    watch: (type, given) => watchOnce(watchContext, type, given),
    create: async (type, object, given = {}) =>
      write(
        {
          method: 'POST',
          path: createPath(type, object, given.subresource),
          query: writeQuery(withManager(given)),
          signal: given.signal,
          ...(given.metadataOnly ? { accept: metadataAccept('PartialObjectMetadata') } : {}),
        },
        object,
      ),
    replace: async (type, object, given = {}) =>
      write(
        {
          method: 'PUT',
          path: objectPath(type, keyOf(object), given.subresource),
          query: writeQuery(withManager(given)),
          signal: given.signal,
          ...(given.metadataOnly ? { accept: metadataAccept('PartialObjectMetadata') } : {}),
        },
        object,
      ),
    patch: async (type, key, patch, given = {}) =>
      write(
        {
          method: 'PATCH',
          path: objectPath(type, key, given.subresource),
          query: writeQuery(withManager(given)),
          signal: given.signal,
        },
        patch.body,
        contentTypes[patch.type],
      ),
    apply: async (type, object, given) =>
      write(
        {
          method: 'PATCH',
          path: objectPath(type, keyOf(object), given.subresource),
          query: writeQuery(given),
          signal: given.signal,
        },
        object,
        contentTypes.apply,
      ),
    async delete(type, key, given = {}) {
      await transport.call({
        method: 'DELETE',
        path: objectPath(type, key),
        body: renderJson(deleteBody(given)),
        contentType: 'application/json',
        signal: given.signal,
      });
    },
    async deleteCollection(type, selection, given = {}) {
      await transport.call({
        method: 'DELETE',
        path: collectionPath(type, selection.namespace),
        query: renderQuery(selectionQuery(selection)),
        body: renderJson(deleteBody(given)),
        contentType: 'application/json',
        signal: given.signal,
      });
    },
    raw: (path, given = {}) =>
      transport.call({
        method: given.post === undefined ? 'GET' : 'POST',
        path,
        signal: given.signal,
        maxResponseBytes: given.maxResponseBytes,
        ...(given.accept === undefined ? {} : { accept: given.accept }),
        ...(given.post === undefined ? {} : { contentType: 'application/json', body: renderJson(given.post) }),
      }),
    close: () => transport.close(),
  };
}
