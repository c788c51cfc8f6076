import type { Logger } from '../base/index.ts';
import {
  createInformer,
  type DiscoveredType,
  type Informer,
  type KindFailure,
  type KubeClient,
  withFailures,
} from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { hashBody, hashNode, hashStatus } from './body-hash.ts';
import type { IndexedResource } from './result-index.ts';
import { isSameHash, type TextHash } from './text-hash.ts';
import type { WatchedType } from './watched-types.ts';

/** What is kept of an object: enough to identify it and to detect changes. */
export interface SeenObject {
  readonly uid: string;
  readonly version: string;
  readonly namespace: string;
  readonly body: TextHash;
  readonly node: number;
  readonly status: TextHash;
}

export interface KindWatch {
  readonly type: DiscoveredType;
  /** Replaced when policies change. */
  kindPolicies: WatchedType['kindPolicies'];
  policies: WatchedType['policies'];
  readonly informer: Informer<KubeObject, SeenObject>;
  /** By uid. */
  readonly resources: Map<string, IndexedResource>;
  /** Number of objects that changed and are not evaluated yet. */
  unevaluated: number;
  /** Whether all objects that existed at the start were evaluated once. */
  isComplete: boolean;
  /** Set while its objects cannot be listed or watched. */
  failure: KindFailure | undefined;
  /** Requested before the first list was complete, to run after it. */
  readonly dueRescans: Map<string, 'all' | ReadonlySet<string>>;
  stop(): Promise<void>;
}

interface KindWatchOptions extends WatchedType {
  readonly client: KubeClient;
  readonly pageSize: number;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly onChanged: (watch: KindWatch, key: string, object: KubeObject) => void;
  readonly onGone: (watch: KindWatch, key: string, uid: string) => void;
  readonly onSynced: (watch: KindWatch) => void;
  /** Its objects cannot be read, or can be read again. */
  readonly onFailure: (watch: KindWatch) => void;
}

/** Watches the objects of one type until it is stopped. */
export function startKindWatch(options: KindWatchOptions): KindWatch {
  const { type, kindPolicies, policies, pageSize, log, signal, onChanged, onGone, onSynced } = options;
  const client = withFailures(options.client, (failure) => {
    if (watch.failure?.message === failure?.message) return;
    watch.failure = failure;
    options.onFailure(watch);
  });
  const informer = createInformer<KubeObject, SeenObject>({ client, type, log, pageSize, project: see });
  const stopping = new AbortController();
  const running = informer.run(AbortSignal.any([signal, stopping.signal]));
  const watch: KindWatch = {
    type,
    kindPolicies,
    policies,
    informer,
    resources: new Map(),
    unevaluated: 0,
    isComplete: false,
    failure: undefined,
    dueRescans: new Map(),
    async stop() {
      stopping.abort();
      await running;
    },
  };
  informer.addHandler({
    onAdd: ({ key, object }) => object && onChanged(watch, key, object),
    onUpdate({ key, object, stored, previous }) {
      const isNew = !isSameHash(stored.body, previous.body) || stored.node !== previous.node;
      const isOfInterest =
        isNew || (!isSameHash(stored.status, previous.status) && watch.kindPolicies.some((p) => p.readsStatus));
      if (isOfInterest) onChanged(watch, key, object);
    },
    onDelete: ({ key, stored }) => onGone(watch, key, stored.uid),
  });
  informer.synced(signal).then(
    () => onSynced(watch),
    () => {
      // Stopped before the first list was complete.
    },
  );
  return watch;
}

function see(object: KubeObject): SeenObject {
  const { uid = '', resourceVersion = '', namespace = '' } = object.metadata;
  return {
    uid,
    version: resourceVersion,
    namespace,
    body: hashBody(object),
    node: hashNode(object),
    status: hashStatus(object),
  };
}
