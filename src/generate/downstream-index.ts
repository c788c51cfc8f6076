import { ownerLabel } from '../api/index.ts';
import { type Logger, setOwn } from '../base/index.ts';
import { createInformer, type Informer, isKubeError, type KubeClient, type ResourceType } from '../kube/index.ts';
import { type KubeObject, renderGvr } from '../object/index.ts';
import type { DownstreamPosition } from './checkpoint.ts';
import { ListFailures } from './list-failures.ts';
import { type Origin, originOf, policyLabel } from './origin.ts';

/** A synchronized object of ours, without its content. */
export interface Downstream {
  readonly type: ResourceType;
  readonly object: KubeObject;
  readonly origin: Origin;
}

interface DownstreamIndexOptions {
  readonly client: KubeClient;
  readonly installation: string;
  readonly log: Logger;
  /** Called when the object was changed or removed, by us or by others. */
  readonly onChange: (downstream: Downstream, isRemoved: boolean) => void;
}

const plain = ({ group, version, resource, kind, namespaced }: ResourceType): ResourceType => ({
  group,
  version,
  resource,
  kind,
  namespaced,
});

type Stored = Downstream | undefined;

const byTrigger = (policy: string, uid: string) => `t ${policy} ${uid}`;
const byPolicy = (policy: string) => `p ${policy}`;
const byUid = (uid: string) => `u ${uid}`;

interface FollowedKind {
  readonly informer: Informer<KubeObject, Stored>;
  readonly run: Promise<void>;
  /** The resource version to resume from, until the first list is complete. */
  readonly since: string | undefined;
  /** Resolves when the first list is complete and what happened before it is reported. */
  readonly ready: Promise<void>;
  readonly failures: ListFailures;
  /** The resource version of the first list. */
  listed: string | undefined;
  /** Whether this process generates objects of the kind: the first may be there before the watch shows it. */
  isWritten: boolean;
}

/** Our synchronized objects per kind, as the API server has them. */
export class DownstreamIndex {
  private readonly followed = new Map<string, FollowedKind>();

  constructor(
    private readonly options: DownstreamIndexOptions,
    private readonly signal: AbortSignal,
  ) {}

  /** The resource version up to which each kind with objects is known. */
  positions(): Readonly<Record<string, DownstreamPosition>> {
    return this.positionsOf(({ informer }) => informer.resourceVersion);
  }

  /** The same from the first lists on: what happened since is reported again after a restart. */
  firstPositions(): Readonly<Record<string, DownstreamPosition>> {
    return this.positionsOf(({ listed }) => listed);
  }

  private positionsOf(versionOf: (kind: FollowedKind) => string | undefined): Record<string, DownstreamPosition> {
    const positions: Record<string, DownstreamPosition> = {};
    for (const [id, kind] of this.followed) {
      const { informer, since, isWritten } = kind;
      const isUnlisted = !informer.hasSynced && since !== undefined;
      const resourceVersion = isUnlisted ? since : versionOf(kind);
      if (resourceVersion !== undefined && (isUnlisted || informer.size > 0 || isWritten))
        setOwn(positions, id, { type: plain(informer.type), resourceVersion });
    }
    return positions;
  }

  /**
   * Resolves when all objects of the kind are known. Rejects when they cannot be listed now, so that work does not wait
   * for a permission. With `since`, also reports objects removed after that version; without it, the caller is about to
   * generate an object of the kind.
   */
  async follow(type: ResourceType, since?: string): Promise<void> {
    const kind = this.start(type, since);
    if (since === undefined) kind.isWritten = true;
    await kind.failures.orFail(kind.ready);
  }

  /** Watches the kind. Resolves when all its objects are known, however long that takes. */
  async whenReady(type: ResourceType): Promise<void> {
    await this.start(type, undefined).ready;
  }

  private start(type: ResourceType, since: string | undefined): FollowedKind {
    const id = renderGvr(type);
    const known = this.followed.get(id);
    if (known) return known;
    const failures = new ListFailures(type);
    const { client, installation, log, onChange } = this.options;
    const selection = { labelSelector: `${ownerLabel}=${installation},${policyLabel}` };
    const project = (object: KubeObject): Stored => {
      const origin = originOf(object, installation);
      if (!origin?.synchronize) return undefined;
      const { apiVersion, kind, metadata } = object;
      return { type, origin, object: { apiVersion, kind, metadata } };
    };
    const informer = createInformer<KubeObject, Stored>({
      client: failures.observe(client),
      type,
      ...selection,
      project,
      log,
      indexes: {
        keys: (stored) =>
          stored
            ? [
                byTrigger(stored.origin.policy, stored.origin.trigger.uid),
                byPolicy(stored.origin.policy),
                byUid(stored.origin.trigger.uid),
              ]
            : [],
      },
    });
    informer.addHandler({
      onUpdate: ({ stored, previous }) => {
        const changed = stored ?? previous;
        if (changed) onChange(changed, false);
      },
      onDelete: ({ stored }) => stored && onChange(stored, true),
    });
    const reportMissed = async () => {
      followed.listed = informer.resourceVersion;
      if (since === undefined) {
        // Not in the checkpoint: what is there was made just before the last leader ended, and nobody has looked since.
        for (const found of informer.list()) if (found) onChange(found, false);
        return;
      }
      for (const object of await removedSince(client, type, { ...selection, resourceVersion: since }, this.signal)) {
        const gone = project(object);
        if (gone) onChange(gone, true);
      }
    };
    const ready = informer.synced(this.signal).then(reportMissed);
    // Callers that await `ready` handle the rejection; avoid an unhandled one when none does.
    ready.catch(() => {});
    const run = informer.run(this.signal);
    const followed: FollowedKind = { informer, run, since, ready, failures, listed: undefined, isWritten: false };
    this.followed.set(id, followed);
    return followed;
  }

  async stopped(): Promise<void> {
    await Promise.all([...this.followed.values()].map(({ run }) => run));
  }

  ofTrigger(policy: string, uid: string): readonly Downstream[] {
    return this.find(byTrigger(policy, uid));
  }

  ofPolicy(policy: string): readonly Downstream[] {
    return this.find(byPolicy(policy));
  }

  ofTriggerUid(uid: string): readonly Downstream[] {
    return this.find(byUid(uid));
  }

  all(): readonly Downstream[] {
    return [...this.followed.values()].flatMap(({ informer }) => informer.list().flatMap((one) => (one ? [one] : [])));
  }

  private find(key: string): readonly Downstream[] {
    return [...this.followed.values()].flatMap(({ informer }) =>
      informer.byIndex('keys', key).flatMap((one) => (one ? [one] : [])),
    );
  }
}

/** Objects that the watch history shows as deleted and not recreated; none when the history is no longer available. */
async function removedSince(
  client: KubeClient,
  type: ResourceType,
  options: { readonly labelSelector: string; readonly resourceVersion: string },
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const removed = new Map<string, KubeObject>();
  try {
    for await (const event of client.watch<KubeObject>(type, { ...options, timeoutSeconds: 1, signal })) {
      if (event.type === 'BOOKMARK') continue;
      const { namespace = '', name = '' } = event.object.metadata;
      if (event.type === 'DELETED') removed.set(`${namespace}/${name}`, event.object);
      else removed.delete(`${namespace}/${name}`);
    }
  } catch (thrown) {
    if (!isKubeError(thrown, 'kube-gone')) throw thrown;
  }
  return [...removed.values()];
}
