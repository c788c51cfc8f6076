import { setMaxListeners } from 'node:events';
import { rfc3339, silentLogger } from '../../base/index.ts';
import { type KubeClient, KubeError, type ObjectList, type WatchEvent } from '../../kube/index.ts';
import type { KubeObject } from '../../object/index.ts';
import type { WatchPosition } from '../position-tracker.ts';
import { TriggerFollower } from '../trigger-follower.ts';

export const pods = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true };
/** The same type as discovery returns it. */
export const discoveredPods = {
  ...pods,
  singular: 'pod',
  shortNames: [],
  categories: [],
  verbs: ['list', 'watch'],
  subresources: [],
  isPreferredVersion: true,
};
const me = 'supercargo-generate';

/** The pods of a fake server with its own clock, and a generator that can be restarted. */
export class History {
  private nowMs = Date.parse('2030-01-01T12:00:00Z');
  private version = 100;
  private oldest = 0;
  private readonly objects = new Map<string, KubeObject>();
  private readonly events: (WatchEvent<KubeObject> & { readonly version: number })[] = [];
  private readonly waiting = new Set<() => void>();
  private stop: AbortController | undefined;
  private follower: TriggerFollower | undefined;
  private position: WatchPosition | undefined;
  private unfinished: (() => void)[] = [];
  /** What happened, in order. */
  readonly transcript: string[] = [];
  /** False keeps work open until `finish`. */
  finishesAtOnce = true;

  pass(seconds: number): void {
    this.nowMs += seconds * 1000;
  }

  create(name: string, image: string, more: Partial<KubeObject['metadata']> = {}, spec: object = {}): void {
    const time = rfc3339(this.nowMs);
    this.put('ADDED', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name,
        namespace: 'shop',
        uid: `uid-${name}`,
        creationTimestamp: time,
        managedFields: [{ manager: 'kubectl', operation: 'Update', time }],
        ...more,
      },
      spec: { containers: [{ name: 'app', image }], ...spec },
    });
  }

  write(name: string, labels: Readonly<Record<string, string>>, manager = 'kubectl'): void {
    const { metadata, ...rest } = this.objects.get(name)!;
    const others = (metadata.managedFields ?? []).filter((entry) => entry.manager !== manager || entry.subresource);
    const managedFields = [...others, { manager, operation: 'Update' as const, time: rfc3339(this.nowMs) }];
    this.put('MODIFIED', { ...rest, metadata: { ...metadata, labels, managedFields } });
  }

  status(name: string, phase: string): void {
    const { metadata, ...rest } = this.objects.get(name)!;
    const entry = {
      manager: 'kubelet',
      operation: 'Update' as const,
      time: rfc3339(this.nowMs),
      subresource: 'status',
    };
    const managedFields = [...(metadata.managedFields ?? []).filter(({ subresource }) => !subresource), entry];
    const spec = { ...(rest['spec'] as object), nodeName: 'node-1' };
    this.put('MODIFIED', { ...rest, metadata: { ...metadata, managedFields }, spec, status: { phase } });
  }

  remove(name: string): void {
    const object = this.objects.get(name)!;
    this.objects.delete(name);
    const metadata = { ...object.metadata, resourceVersion: String(++this.version) };
    this.emit('DELETED', { ...object, metadata });
  }

  /** Drops the watch history, as etcd does after five minutes. */
  forget(): void {
    this.oldest = this.version;
    this.events.length = 0;
  }

  async start(): Promise<void> {
    const stop = new AbortController();
    setMaxListeners(0, stop.signal);
    this.transcript.push('start');
    this.stop = stop;
    this.follower = new TriggerFollower({
      client: this.client(),
      type: pods,
      position: this.position,
      installation: 'ours',
      fieldManager: me,
      isOwnWrite: () => false,
      log: silentLogger,
      onTrigger: (object, operation, done) => {
        this.transcript.push(`${operation} ${object.metadata.name}`);
        if (this.finishesAtOnce) queueMicrotask(done);
        else this.unfinished.push(done);
        return 1;
      },
      onGone: (uid) => this.transcript.push(`gone ${uid}`),
      onUnclear: (uid) => this.transcript.push(`unclear ${uid}`),
      onFirstListed: () => {},
      onFailure: () => {},
      onProgress: () => {},
    });
    this.follower.start(stop.signal);
    await this.settle();
  }

  finish(): void {
    for (const done of this.unfinished.splice(0)) done();
  }

  /** Stores the checkpoint, as happens every two seconds. */
  async save(): Promise<WatchPosition | undefined> {
    await this.settle();
    this.position = this.follower?.position();
    return this.position;
  }

  /** Stops without a last checkpoint. */
  async crash(): Promise<void> {
    await this.settle();
    this.unfinished = [];
    this.transcript.push('stop');
    this.stop?.abort();
    for (const wake of this.waiting) wake();
    await this.follower?.end();
  }

  async restart(): Promise<void> {
    await this.save();
    await this.crash();
    await this.start();
  }

  async settle(): Promise<void> {
    for (let i = 0; i < 20; i++) await new Promise<void>((resolve) => setImmediate(resolve));
  }

  private put(type: 'ADDED' | 'MODIFIED', object: KubeObject): void {
    const metadata = { ...object.metadata, resourceVersion: String(++this.version) };
    const stored = { ...object, metadata };
    this.objects.set(metadata.name ?? '', stored);
    this.emit(type, stored);
  }

  private emit(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: KubeObject): void {
    this.events.push({ type, object, version: this.version });
    for (const wake of this.waiting) wake();
  }

  private client(): KubeClient {
    const history = this;
    const unused = () => Promise.reject(new Error('not used by this test'));
    return {
      get: unused,
      list: unused,
      create: unused,
      replace: unused,
      patch: unused,
      apply: unused,
      delete: unused,
      deleteCollection: unused,
      async *pages<T extends KubeObject>(): AsyncGenerator<ObjectList<T>> {
        yield {
          resourceVersion: String(history.version),
          items: [...history.objects.values()] as unknown as readonly T[],
          serverTimeMs: Math.floor(history.nowMs / 1000) * 1000,
        };
      },
      async *watch<T extends KubeObject>(
        _: unknown,
        { resourceVersion, signal }: { readonly resourceVersion: string; readonly signal?: AbortSignal | undefined },
      ): AsyncGenerator<WatchEvent<T>> {
        let from = Number(resourceVersion);
        while (!signal?.aborted) {
          if (from < history.oldest)
            throw new KubeError('kube-gone', 'too old', { method: 'WATCH', path: '/api/v1/pods', status: 410 });
          for (const event of history.events.filter(({ version }) => version > from)) {
            from = event.version;
            yield event as unknown as WatchEvent<T>;
          }
          let wake = () => {};
          const woken = new Promise<void>((resolve) => (wake = resolve));
          history.waiting.add(wake);
          if (!history.events.some(({ version }) => version > from) && !signal?.aborted) await woken;
          history.waiting.delete(wake);
        }
      },
    };
  }
}
