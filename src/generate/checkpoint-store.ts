import { ownerLabel } from '../api/index.ts';
import { type Clock, errorMessage, type Logger, onAbort } from '../base/index.ts';
import { isKubeError, type KubeClient, type ResourceType } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { type Checkpoint, emptyCheckpoint, mergeCheckpoints, parseCheckpoint, renderCheckpoint } from './checkpoint.ts';

export const configMaps: ResourceType = {
  group: '',
  version: 'v1',
  resource: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
};

interface CheckpointStoreOptions {
  readonly client: Pick<KubeClient, 'get' | 'create' | 'replace'>;
  readonly namespace: string;
  readonly installation: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called at the moment of a write; returns what to write. */
  readonly current: () => Checkpoint;
  readonly minIntervalMs?: number;
}

export interface OpenedCheckpoint {
  readonly checkpoint: Checkpoint;
  /** When this installation started to generate, by the server's clock. Nothing older is a trigger. */
  readonly sinceMs: number;
}

const field = 'checkpoint';
// Much shorter than the API server's watch history, which is five minutes by default.
const agingMs = 60_000;

/** The checkpoint's ConfigMap: read once per leader session, written with a precondition and at most every 2 s. */
export class CheckpointStore {
  private stored: KubeObject | undefined;
  private written = '';
  private wake: () => void = () => {};
  private isWanted = false;
  private savedAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: CheckpointStoreOptions) {}

  async open(signal: AbortSignal): Promise<OpenedCheckpoint> {
    this.stored = await this.readOrCreate(signal);
    const text = this.textOf(this.stored);
    this.written = text ?? '';
    return {
      checkpoint: parseCheckpoint(text) ?? emptyCheckpoint,
      sinceMs: Date.parse(this.stored.metadata.creationTimestamp ?? '') || this.options.clock.now(),
    };
  }

  /** Schedules a write. */
  touch(): void {
    this.isWanted = true;
    this.wake();
  }

  /** Schedules a write if the last one is old: resource versions advance without any trigger. */
  age(): void {
    if (this.options.clock.monotonicMs() - this.savedAtMs >= agingMs) this.touch();
  }

  /** Writes after each `touch` until the signal aborts, then once more. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, minIntervalMs = 2_000 } = this.options;
    const unlink = onAbort(signal, () => this.wake());
    while (!signal.aborted) {
      if (!this.isWanted) await new Promise<void>((resolve) => (this.wake = resolve));
      if (signal.aborted) break;
      this.isWanted = false;
      await this.save(signal);
      await clock.sleep(minIntervalMs, signal).catch(() => {});
    }
    unlink();
    // The leader session is over, but the Lease is still held: save, so that the next leader does not repeat the work.
    await this.save(AbortSignal.timeout(2_000));
  }

  private async save(signal: AbortSignal): Promise<void> {
    try {
      await this.write(signal);
    } catch (thrown) {
      this.isWanted = true;
      if (!signal.aborted)
        this.options.log.warn('writing the checkpoint failed; retrying', { error: errorMessage(thrown) });
    }
  }

  private async write(signal: AbortSignal): Promise<void> {
    const { client, current } = this.options;
    let checkpoint = current();
    for (let attempt = 0; attempt < 3; attempt++) {
      const text = renderCheckpoint(checkpoint);
      if (text === this.written) return;
      this.stored ??= await this.readOrCreate(signal);
      try {
        this.stored = await client.replace<KubeObject>(
          configMaps,
          { ...this.stored, data: { [field]: text } },
          { signal },
        );
        this.written = text;
        this.savedAtMs = this.options.clock.monotonicMs();
        return;
      } catch (thrown) {
        if (!isKubeError(thrown, 'kube-conflict') && !isKubeError(thrown, 'kube-not-found')) throw thrown;
        this.stored = await this.readOrCreate(signal);
        checkpoint = mergeCheckpoints(checkpoint, parseCheckpoint(this.textOf(this.stored)) ?? emptyCheckpoint);
      }
    }
  }

  private textOf(object: KubeObject): string | undefined {
    return (object['data'] as Readonly<Record<string, string>> | undefined)?.[field];
  }

  private async readOrCreate(signal: AbortSignal): Promise<KubeObject> {
    const { client, namespace, installation } = this.options;
    const key = { namespace, name: `${installation}-generate` };
    for (;;) {
      try {
        return await client.get<KubeObject>(configMaps, key, { signal });
      } catch (thrown) {
        if (!isKubeError(thrown, 'kube-not-found')) throw thrown;
      }
      try {
        const metadata = { ...key, labels: { [ownerLabel]: installation } };
        return await client.create<KubeObject>(
          configMaps,
          { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: {} },
          { signal },
        );
      } catch (thrown) {
        if (!isKubeError(thrown, 'kube-already-exists')) throw thrown;
      }
    }
  }
}
