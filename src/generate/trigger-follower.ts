import { ownerLabel } from '../api/index.ts';
import { isAbort, type Logger, onAbort } from '../base/index.ts';
import {
  createInformer,
  type Informer,
  type KindFailure,
  type KubeClient,
  type ResourceType,
  withFailures,
} from '../kube/index.ts';
import { type KubeObject, renderGvr } from '../object/index.ts';
import { originAnnotation } from './origin.ts';
import { PositionTracker, type WatchPosition } from './position-tracker.ts';
import { type CutOff, coldTrigger, liveTrigger, type TriggerOperation } from './trigger.ts';
import { digestOf, isWrittenBy, lastWriteOf } from './writes.ts';

/** What is kept of an object: enough to detect whether the next event is a write. */
interface ObjectTrace {
  readonly uid: string;
  readonly digest: string;
  readonly writtenMs: number;
}

interface TriggerFollowerOptions {
  readonly client: KubeClient;
  readonly type: ResourceType;
  readonly position?: WatchPosition | undefined;
  readonly installation: string;
  readonly fieldManager: string;
  readonly isOwnWrite: (object: KubeObject) => boolean;
  /** Starts the work for a write and returns the number of pieces. Each calls `done` once. */
  readonly onTrigger: (object: KubeObject, operation: TriggerOperation, done: () => void) => number;
  readonly onGone: (uid: string) => void;
  /** The object was changed in a way that its time stamps do not tell, while nobody watched. */
  readonly onUnclear: (uid: string) => void;
  /** The first list, which contains only existing objects, ended at this position. */
  readonly onFirstListed: (observed: WatchPosition) => void;
  /** Called when its objects cannot be listed or watched, or can be again. */
  readonly onFailure: () => void;
  /** The position may have changed. */
  readonly onProgress: () => void;
  readonly log: Logger;
}

/** Watches one kind from where the last leader stopped, and detects writes among the events. */
export class TriggerFollower {
  readonly id: string;
  readonly informer: Informer<KubeObject, ObjectTrace>;
  /** Why its objects cannot be listed or watched now. */
  failure: KindFailure | undefined;
  private readonly progress: PositionTracker;
  private readonly stop = new AbortController();
  private running: Promise<void> | undefined;
  /** True until the end of a first list without a stored position: its objects trigger nothing. */
  private isFirstList: boolean;
  private readonly resumed: CutOff | undefined;

  constructor(private readonly options: TriggerFollowerOptions) {
    const { client, type, position, log } = options;
    this.id = renderGvr(type);
    this.isFirstList = position === undefined;
    this.progress = new PositionTracker(position);
    this.resumed = position && { ...position, handled: new Set(position.handled) };
    this.informer = createInformer<KubeObject, ObjectTrace>({
      client: withFailures(client, (failure) => {
        if (failure?.message === this.failure?.message) return;
        this.failure = failure;
        options.onFailure();
      }),
      type,
      log,
      resumeFrom: position?.resourceVersion,
      project: (object) => ({
        uid: object.metadata.uid ?? '',
        digest: digestOf(object),
        writtenMs: lastWriteOf(object).timeMs,
      }),
    });
    this.informer.addHandler({
      onAdd: ({ object, origin }) => {
        if (object) this.onAdded(object, origin);
      },
      onUpdate: ({ object, stored, previous }) => {
        const isOwn = stored.writtenMs > previous.writtenMs && this.isOurs(object);
        const operation = isOwn ? undefined : liveTrigger(previous.digest, stored.digest, object);
        this.note(object, operation, object.metadata.resourceVersion);
      },
      onDelete: ({ stored }) => options.onGone(stored.uid),
    });
  }

  start(signal: AbortSignal): void {
    onAbort(signal, (reason) => this.stop.abort(reason));
    this.running = this.informer.run(this.stop.signal);
    this.informer.synced(this.stop.signal).then(
      () => {
        if (this.isFirstList) {
          this.isFirstList = false;
          this.options.onFirstListed(this.progress.observed(this.informer));
        }
        this.options.onProgress();
      },
      (thrown) => {
        if (!this.stop.signal.aborted && !isAbort(thrown))
          this.options.log.warn('cannot watch kind', { type: this.id });
      },
    );
  }

  async end(): Promise<void> {
    this.stop.abort();
    await this.running;
  }

  /** Up to where writes were delivered; undefined during a first list. */
  observed(): WatchPosition | undefined {
    return this.isFirstList ? undefined : this.progress.observed(this.informer);
  }

  position(): WatchPosition | undefined {
    return this.isFirstList ? undefined : this.progress.position(this.informer);
  }

  private onAdded(object: KubeObject, origin: 'listed' | 'added' | 'modified'): void {
    const version = origin === 'listed' ? undefined : object.metadata.resourceVersion;
    if (this.isFirstList && origin === 'listed') {
      this.note(object, undefined, version);
      return;
    }
    // An object that a resumed watch shows as modified existed before; only the resumed position says since when.
    const cutOff = origin === 'modified' ? this.resumed : this.progress.cutOff;
    const operation = origin === 'added' ? 'CREATE' : cutOff && coldTrigger(object, cutOff);
    // Whoever only removes fields leaves no time stamp. What was generated for the object is checked.
    if (origin === 'modified' && operation === undefined) this.options.onUnclear(object.metadata.uid ?? '');
    const isOwn = operation === 'CREATE' ? this.isCreatedByUs(object) : this.isOurs(object);
    this.note(object, isOwn ? undefined : operation, version);
  }

  private note(object: KubeObject, operation: TriggerOperation | undefined, resourceVersion: string | undefined): void {
    const { timeMs } = lastWriteOf(object);
    const noted = { resourceVersion, timeMs, uid: object.metadata.uid ?? '' };
    if (operation === undefined || this.options.isOwnWrite(object) || this.isInternalObject(object)) {
      this.progress.note(noted, 0);
      return;
    }
    let finish = () => {};
    const done = () => {
      finish();
      this.options.onProgress();
    };
    const work = this.options.onTrigger(object, operation, done);
    finish = this.progress.note(noted, work);
    this.options.onProgress();
  }

  /** Our own bookkeeping objects, such as the checkpoint: as triggers they would cause an endless loop of writes. */
  private isInternalObject({ metadata: { labels, annotations } }: KubeObject): boolean {
    return labels?.[ownerLabel] === this.options.installation && annotations?.[originAnnotation] === undefined;
  }

  private isOurs(object: KubeObject): boolean {
    return isWrittenBy(this.options.fieldManager, lastWriteOf(object));
  }

  private isCreatedByUs(object: KubeObject): boolean {
    const isMarked = object.metadata.labels?.[ownerLabel] === this.options.installation;
    return isMarked && (this.isOurs(object) || (object.metadata.managedFields?.length ?? 0) === 0);
  }
}
