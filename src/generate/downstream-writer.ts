import { LRUCache } from 'lru-cache';
import { ownerLabel } from '../api/index.ts';
import { type Discovery, isKubeError, type KubeClient, type ResourceType } from '../kube/index.ts';
import { gvkOf, type KubeObject, keyOf, parseKey, renderGroupResource, renderGvk } from '../object/index.ts';
import { isAsWanted, renewed } from './content.ts';
import { forbidden, GenerateError } from './errors.ts';
import { type OnceMarkers, onceMarker } from './once-markers.ts';
import { type Origin, oncePerAnnotation, originOf, withOrigin } from './origin.ts';

export type Written = 'created' | 'updated' | 'unchanged' | 'existed' | 'done before';

export interface DownstreamWriterOptions {
  readonly client: Pick<KubeClient, 'get' | 'create' | 'replace' | 'delete'>;
  readonly discovery: Pick<Discovery, 'byKind'>;
  readonly installation: string;
  readonly fieldManager: string;
  readonly once: OnceMarkers;
}

const rememberedWrites = 10_000;

/**
 * Everything generation writes. Creating under a name that is taken is success; an update or a deletion happens only
 * to what carries our label, in the state that was looked at.
 */
export class DownstreamWriter {
  private readonly own = new LRUCache<string, true>({ max: rememberedWrites });
  private readonly making = new Map<string, Promise<Written>>();

  constructor(private readonly options: DownstreamWriterOptions) {}

  /** Whether this state of an object was written by us, in this process. */
  isOwnWrite({ metadata }: KubeObject): boolean {
    return this.own.has(`${metadata.uid} ${metadata.resourceVersion}`);
  }

  async typeOf(object: KubeObject, signal: AbortSignal): Promise<ResourceType> {
    const type = await this.options.discovery.byKind(gvkOf(object), { signal });
    if (type) return type;
    throw new GenerateError('generate-unknown-kind', `the server has no kind ${renderGvk(gvkOf(object))}`);
  }

  /** The object's kind, if the policy may write it at all; nothing is done for one that it may not. */
  async writableTypeOf(object: KubeObject, policy: string, signal: AbortSignal): Promise<ResourceType> {
    const type = await this.typeOf(object, signal);
    checkScope(policy, type, object);
    return type;
  }

  /** Makes sure that the object is there; with `synchronize`, that it is as wanted. */
  async ensure(object: KubeObject, origin: Origin, signal: AbortSignal): Promise<Written> {
    const text = object.metadata.annotations?.[oncePerAnnotation];
    if (text === undefined || text === '') return this.write(object, origin, signal);
    const marker = onceMarker(origin.policy, origin.rule, text);
    // Two triggers of one moment wait for each other: only after the first is there a marker to be found.
    for (let other = this.making.get(marker); other; other = this.making.get(marker)) await other.catch(() => {});
    const work = this.ensureOnce(marker, object, origin, signal);
    this.making.set(marker, work);
    try {
      return await work;
    } finally {
      this.making.delete(marker);
    }
  }

  private async ensureOnce(marker: string, object: KubeObject, origin: Origin, signal: AbortSignal): Promise<Written> {
    const { once } = this.options;
    if (await once.has(marker, signal)) return 'done before';
    const written = await this.write(object, origin, signal);
    await once.add(marker, signal);
    return written;
  }

  private async write(object: KubeObject, origin: Origin, signal: AbortSignal): Promise<Written> {
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
      this.remember(await client.create<KubeObject>(type, wanted, { signal, fieldManager }));
    });
  }

  private async renew(type: ResourceType, wanted: KubeObject, origin: Origin, signal: AbortSignal): Promise<Written> {
    const { client, installation, fieldManager } = this.options;
    const { name = '', namespace } = wanted.metadata;
    const actual = await this.permitted('get', type, namespace, () =>
      client.get<KubeObject>(type, { name, namespace }, { signal }),
    );
    const from = originOf(actual, installation);
    if (!from || from.policy !== origin.policy || from.rule !== origin.rule) {
      const whose = from ? `rule ${from.rule} of policy ${from.policy} made it` : `it lacks our label ${ownerLabel}`;
      const what = `${renderGroupResource(type)} ${keyOf(wanted)}`;
      throw new GenerateError('generate-foreign-target', `${what} exists and is not this rule's: ${whose}; left alone`);
    }
    const isSame = isAsWanted(wanted, actual) && from.goesWithPolicy === origin.goesWithPolicy;
    if (isSame || actual.metadata.deletionTimestamp !== undefined) return 'unchanged';
    await this.permitted('update', type, namespace, async () => {
      this.remember(await client.replace<KubeObject>(type, renewed(wanted, actual), { signal, fieldManager }));
    });
    return 'updated';
  }

  /** Removes an object of ours as it was last seen; what is gone already, or was changed since, is left alone. */
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

  /** Writes what a mutation made of an existing object, if nobody has changed it since it was read. */
  async change(target: KubeObject, policy: string, signal: AbortSignal): Promise<void> {
    const { client, fieldManager } = this.options;
    const type = await this.writableTypeOf(target, policy, signal);
    await this.permitted('update', type, target.metadata.namespace, async () => {
      this.remember(await client.replace<KubeObject>(type, target, { signal, fieldManager }));
    });
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
      // A namespace that goes away refuses creations with 403 as well; that is no question of permission.
      if (!isKubeError(thrown, 'kube-forbidden') || thrown.causes.length > 0) throw thrown;
      throw forbidden(verb, renderGroupResource(type), namespace, thrown);
    }
  }
}

/**
 * A policy of a namespace writes into that namespace only. Checked here, at the write: kind, name and namespace may all
 * come from variables.
 */
function checkScope(policy: string, type: ResourceType, object: KubeObject): void {
  const { namespace: own } = parseKey(policy);
  if (own === undefined || (type.namespaced && object.metadata.namespace === own)) return;
  const what = `${renderGroupResource(type)} ${keyOf(object)}`;
  throw new GenerateError('generate-out-of-scope', `${what} is outside of namespace ${own}, where policy ${policy} is`);
}

/** A namespace on a kind that lives in none would be an error of the path, not of the rule. */
function placed(object: KubeObject, type: ResourceType): KubeObject {
  if (type.namespaced || object.metadata.namespace === undefined) return object;
  const { namespace: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
