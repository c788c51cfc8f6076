import { LRUCache } from 'lru-cache';
import { ownerLabel } from '../api/index.ts';
import { type Discovery, isKubeError, type KubeClient, type ResourceType } from '../kube/index.ts';
import { gvkOf, type KubeObject, keyOf, renderGroupResource, renderGvk } from '../object/index.ts';
import { parsePolicyKey } from '../runtime/index.ts';
import { isAsWanted, renewed } from './content.ts';
import { forbidden, GenerateError } from './errors.ts';
import { type OnceMarkers, onceMarker } from './once-markers.ts';
import { type Origin, oncePerAnnotation, originOf, withOrigin } from './origin.ts';
import type { OutboxEntry } from './outbox.ts';

type WriteResult = 'created' | 'updated' | 'unchanged' | 'existed' | 'done before';

interface DownstreamWriterOptions {
  readonly client: Pick<KubeClient, 'get' | 'create' | 'replace' | 'delete'>;
  readonly discovery: Pick<Discovery, 'byKind'>;
  readonly installation: string;
  readonly fieldManager: string;
  readonly once: OnceMarkers;
}

const rememberedWrites = 10_000;

/**
 * Does all writes of generation. If the name is taken, a creation counts as success. Only objects with our label are
 * updated or deleted, and only in the state that was read.
 */
export class DownstreamWriter {
  private readonly own = new LRUCache<string, true>({ max: rememberedWrites });
  /** By the uid and, for one that is replaced, the version before. */
  private readonly requests = new LRUCache<string, true>({ max: rememberedWrites });
  private readonly making = new Map<string, Promise<WriteResult>>();

  constructor(private readonly options: DownstreamWriterOptions) {}

  /** Whether this process wrote this state of the object. */
  isOwnWrite({ metadata }: KubeObject): boolean {
    return this.own.has(`${metadata.uid} ${metadata.resourceVersion}`);
  }

  /** Whether a request that was carried out is a write of this process: nobody else replaced that version. */
  isOwnRequest({ operation, subresource, object, oldObject }: OutboxEntry['request']): boolean {
    if (subresource !== '') return false;
    if (operation === 'CREATE') return this.requests.has(`${object?.metadata.uid}`);
    return (
      operation === 'UPDATE' && this.requests.has(`${oldObject?.metadata.uid} ${oldObject?.metadata.resourceVersion}`)
    );
  }

  async typeOf(object: KubeObject, signal: AbortSignal): Promise<ResourceType> {
    const type = await this.options.discovery.byKind(gvkOf(object), { signal });
    if (type) return type;
    throw new GenerateError('generate-unknown-kind', `the server has no kind ${renderGvk(gvkOf(object))}`);
  }

  /** The object's type. Throws if the policy may not write the object, so that nothing is done for it. */
  async writableTypeOf(object: KubeObject, policy: string, signal: AbortSignal): Promise<ResourceType> {
    const type = await this.typeOf(object, signal);
    checkScope(policy, type, object);
    return type;
  }

  /** Ensures that the object exists and, with `synchronize`, that it is as wanted. */
  async ensure(object: KubeObject, origin: Origin, signal: AbortSignal): Promise<WriteResult> {
    const text = object.metadata.annotations?.[oncePerAnnotation];
    if (text === undefined || text === '') return this.write(object, origin, signal);
    const marker = onceMarker(origin.policy, origin.rule, text);
    // Concurrent triggers wait for each other: the marker exists only after the first one is done.
    for (let other = this.making.get(marker); other; other = this.making.get(marker)) await other.catch(() => {});
    const work = this.ensureOnce(marker, object, origin, signal);
    this.making.set(marker, work);
    try {
      return await work;
    } finally {
      this.making.delete(marker);
    }
  }

  private async ensureOnce(
    marker: string,
    object: KubeObject,
    origin: Origin,
    signal: AbortSignal,
  ): Promise<WriteResult> {
    const { once } = this.options;
    if (await once.has(marker, signal)) return 'done before';
    const written = await this.write(object, origin, signal);
    await once.add(marker, signal);
    return written;
  }

  private async write(object: KubeObject, origin: Origin, signal: AbortSignal): Promise<WriteResult> {
    const type = await this.writableTypeOf(object, origin.policy, signal);
    const wanted = withOrigin(placed(object, type), { installation: this.options.installation, origin });
    try {
      await this.create(type, wanted, signal);
      return 'created';
    } catch (thrown) {
      if (!isKubeError(thrown, 'kube-already-exists')) throw thrown;
    }
    return origin.synchronize ? this.renew(type, wanted, origin, signal) : 'existed';
  }

  private async create(type: ResourceType, wanted: KubeObject, signal: AbortSignal): Promise<void> {
    const { client, fieldManager } = this.options;
    await this.permitted('create', type, wanted.metadata.namespace, async () => {
      const created = await client.create<KubeObject>(type, wanted, { signal, fieldManager });
      this.requests.set(`${created.metadata.uid}`, true);
      this.remember(created);
    });
  }

  private async renew(
    type: ResourceType,
    wanted: KubeObject,
    origin: Origin,
    signal: AbortSignal,
  ): Promise<WriteResult> {
    const { client, installation } = this.options;
    const { name = '', namespace } = wanted.metadata;
    const actual = await this.permitted('get', type, namespace, () =>
      client.get<KubeObject>(type, { name, namespace }, { signal }),
    );
    const from = originOf(actual, installation);
    if (!from || from.policy !== origin.policy || from.rule !== origin.rule) {
      const whose = from
        ? `rule ${from.rule} of policy ${from.policy} generated it`
        : `it lacks our label ${ownerLabel}`;
      const what = `${renderGroupResource(type)} ${keyOf(wanted)}`;
      throw new GenerateError(
        'generate-foreign-target',
        `${what} exists and does not belong to this rule: ${whose}; not changed`,
      );
    }
    const isSame = isAsWanted(wanted, actual) && from.goesWithPolicy === origin.goesWithPolicy;
    if (isSame || actual.metadata.deletionTimestamp !== undefined) return 'unchanged';
    await this.replace(type, renewed(wanted, actual), signal);
    return 'updated';
  }

  /** Removes an object of ours in the state that was read. Does nothing if it is gone or changed since. */
  async remove(type: ResourceType, object: KubeObject, signal: AbortSignal): Promise<boolean> {
    const { client, installation } = this.options;
    const { name = '', namespace, uid } = object.metadata;
    if (originOf(object, installation) === undefined || uid === undefined) return false;
    try {
      await this.permitted('delete', type, namespace, () =>
        client.delete(type, { name, namespace }, { signal, propagationPolicy: 'Background', preconditions: { uid } }),
      );
      return true;
    } catch (thrown) {
      if (isKubeError(thrown, 'kube-not-found') || isKubeError(thrown, 'kube-conflict')) return false;
      throw thrown;
    }
  }

  /** Writes a mutated existing object unless it changed since it was read. */
  async change(target: KubeObject, policy: string, signal: AbortSignal): Promise<void> {
    // Without both, the write would replace whatever is there: an expression may have made up the object.
    if (!target.metadata.uid || !target.metadata.resourceVersion) {
      const what = `${target.kind} ${keyOf(target)}`;
      const message = `${what} has no uid or no resourceVersion, and would replace whatever is there; not changed`;
      throw new GenerateError('generate-rule-failed', message);
    }
    const type = await this.writableTypeOf(target, policy, signal);
    await this.replace(type, target, signal);
  }

  private async replace(type: ResourceType, object: KubeObject, signal: AbortSignal): Promise<void> {
    const { client, fieldManager } = this.options;
    const { uid, resourceVersion, namespace } = object.metadata;
    const request = `${uid} ${resourceVersion}`;
    // Before the response: its request may be read from the outbox first.
    this.requests.set(request, true);
    try {
      await this.permitted('update', type, namespace, async () => {
        this.remember(await client.replace<KubeObject>(type, object, { signal, fieldManager }));
      });
    } catch (thrown) {
      this.requests.delete(request);
      throw thrown;
    }
  }

  private remember({ metadata }: KubeObject): void {
    this.own.set(`${metadata.uid} ${metadata.resourceVersion}`, true);
  }

  private async permitted<T>(
    verb: string,
    type: ResourceType,
    namespace: string | undefined,
    work: () => Promise<T>,
  ): Promise<T> {
    try {
      return await work();
    } catch (thrown) {
      // A terminating namespace also refuses creations with 403. That is not a missing permission.
      if (!isKubeError(thrown, 'kube-forbidden') || thrown.causes.length > 0) throw thrown;
      throw forbidden(verb, renderGroupResource(type), namespace, thrown);
    }
  }
}

/**
 * A namespaced policy writes into its own namespace only. Checked at the write, because kind, name and namespace may
 * come from variables.
 */
function checkScope(policy: string, type: ResourceType, object: KubeObject): void {
  const key = parsePolicyKey(policy);
  const own = key?.namespace;
  if (key && (own === undefined || (type.namespaced && object.metadata.namespace === own))) return;
  const what = `${renderGroupResource(type)} ${keyOf(object)}`;
  throw new GenerateError('generate-out-of-scope', `${what} is outside of namespace ${own}, where policy ${policy} is`);
}

/** Drops the namespace of a cluster-scoped object: it would make the request path invalid. */
function placed(object: KubeObject, type: ResourceType): KubeObject {
  if (type.namespaced || object.metadata.namespace === undefined) return object;
  const { namespace: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
