import { type Clock, errorMessage, type Logger } from '../base/index.ts';
import { createInformer, type Informer, type KubeClient, type ResourceType } from '../kube/index.ts';
import { controllerOf, gvkOf, type KubeObject } from '../object/index.ts';
import { type ControllerReference, type IsExcluded, isReportable } from './scope.ts';

/** Types that have a controller themselves: a ReplicaSet of a Deployment, a Job of a CronJob. */
const middleTypes: readonly ResourceType[] = [
  { group: 'apps', version: 'v1', resource: 'replicasets', kind: 'ReplicaSet', namespaced: true },
  { group: 'batch', version: 'v1', resource: 'jobs', kind: 'Job', namespaced: true },
];

/**
 * These never control a Pod directly. A Pod that names one as its controller was not written by a Kubernetes
 * controller.
 */
const indirect = new Set(['Deployment', 'CronJob']);

interface Middle {
  readonly uid: string;
  readonly controller: ControllerReference | undefined;
}

export interface Controllers {
  /**
   * The known controllers of an object that are reported on themselves. Excluded and unknown controllers are omitted,
   * so that each result is reported somewhere.
   */
  of(object: KubeObject): readonly ControllerReference[];
  /** Reads what `of` needs and no watch has shown yet. */
  load(object: KubeObject, signal: AbortSignal): Promise<void>;
  /** Resolves when all are known, or after a timeout: a kind that must not be listed does not stop reports. */
  ready(): Promise<void>;
  stopped(): Promise<void>;
}

interface ControllersOptions {
  readonly client: KubeClient;
  readonly isExcluded: IsExcluded;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Objects of the namespace have a different controller than before. */
  readonly onChange: (namespace: string) => void;
}

export function startControllers(options: ControllersOptions): Controllers {
  const { client, isExcluded, clock, log, signal, onChange } = options;
  const project = (object: KubeObject): Middle => ({
    uid: object.metadata.uid ?? '',
    controller: referenceOf(controllerOf(object)),
  });
  const informers = new Map<string, Informer<KubeObject, Middle>>();
  const running: Promise<void>[] = [];
  // Read once where the watch was behind.
  const read = new Map<string, Middle>();
  for (const type of middleTypes) {
    const informer = createInformer<KubeObject, Middle>({ client, type, metadataOnly: true, log, project });
    informer.addHandler({
      onAdd: ({ stored }) => read.delete(stored.uid),
      onUpdate: ({ key, stored, previous }) => {
        if (stored.controller?.uid !== previous.controller?.uid) onChange(key.slice(0, key.indexOf('/')));
      },
    });
    informers.set(type.kind, informer);
    running.push(informer.run(signal));
  }

  const known = (namespace: string, { kind, name, uid }: ControllerReference): Middle | undefined => {
    const found = informers.get(kind)?.get(`${namespace}/${name}`);
    return found?.uid === uid ? found : read.get(uid);
  };
  const isReported = (namespace: string, controller: ControllerReference) => {
    const kind = gvkOf(controller);
    return isReportable(kind) && !isExcluded(kind, namespace, controller.name);
  };

  return {
    of(object) {
      const { namespace = '' } = object.metadata;
      const first = referenceOf(controllerOf(object));
      if (!first || (object.kind === 'Pod' && indirect.has(first.kind))) return [];
      const middle = known(namespace, first);
      const chain = middle?.controller ? [first, middle.controller] : [first];
      return chain.filter((controller) => isReported(namespace, controller));
    },
    async load(object, until) {
      const { namespace = '' } = object.metadata;
      const first = referenceOf(controllerOf(object));
      const type = middleTypes.find(({ kind }) => kind === first?.kind);
      // Before the first list, single reads would be too many, and may be forbidden too.
      if (!first || !type || !informers.get(type.kind)?.hasSynced || known(namespace, first)) return;
      try {
        const fieldSelector = `metadata.name=${first.name}`;
        const { items } = await client.list<KubeObject>(type, { namespace, fieldSelector, signal: until });
        const found = items.find(({ metadata }) => metadata.uid === first.uid);
        if (found && read.size < maxRead) read.set(first.uid, project(found));
      } catch (thrown) {
        log.debug('reading the controller of an object failed', { kind: type.kind, error: errorMessage(thrown) });
      }
    },
    async ready() {
      const synced = Promise.all([...informers.values()].map((informer) => informer.synced(signal)));
      await Promise.race([synced, clock.sleep(maxReadyMs, signal)]).catch(() => {});
    },
    async stopped() {
      await Promise.all(running);
    },
  };
}

const maxRead = 10_000;
const maxReadyMs = 10_000;

function referenceOf(owner: ControllerReference | undefined): ControllerReference | undefined {
  if (!owner) return undefined;
  const { apiVersion, kind, name, uid } = owner;
  return { apiVersion, kind, name, uid };
}
