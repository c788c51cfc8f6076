import { createHash } from 'node:crypto';
import { ownerLabel } from '../api/index.ts';
import { type Clock, isJsonObject } from '../base/index.ts';
import { isKubeError, type KubeClient } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { configMaps } from './checkpoint-store.ts';

interface OnceMarkersOptions {
  readonly client: Pick<KubeClient, 'get' | 'create' | 'patch'>;
  readonly namespace: string;
  readonly installation: string;
  readonly clock: Clock;
}

const shards = 64;
// 64 × 8,000 markers of about 50 bytes: below the size limit of a ConfigMap, and enough for half a million images.
const maxPerShard = 8_000;

/** Identifies something that a rule does once: equal for equal input, with a fixed length. */
export function onceMarker(policy: string, rule: string, text: string): string {
  return createHash('sha256')
    .update(JSON.stringify([policy, rule, text]))
    .digest('hex')
    .slice(0, 32);
}

/**
 * Records what was created once and must not be created again when it is gone. Markers are keys of 64 ConfigMaps. Merge
 * patches add them, so writers do not overwrite each other. A marker is added after the object exists: after a crash in
 * between, the object is found by its name.
 */
export class OnceMarkers {
  private readonly loaded = new Map<string, Promise<Map<string, string>>>();

  constructor(private readonly options: OnceMarkersOptions) {}

  async has(marker: string, signal: AbortSignal): Promise<boolean> {
    return (await this.shardOf(marker, signal)).has(marker);
  }

  async add(marker: string, signal: AbortSignal): Promise<void> {
    const markers = await this.shardOf(marker, signal);
    if (markers.has(marker)) return;
    const { client, clock } = this.options;
    const body: Record<string, string | null> = { [marker]: String(Math.floor(clock.now() / 1000)) };
    for (const oldest of this.surplusOf(markers)) body[oldest] = null;
    await client.patch(configMaps, this.keyOf(marker), { type: 'merge', body: { data: body } }, { signal });
    for (const [key, value] of Object.entries(body)) {
      if (value === null) markers.delete(key);
      else markers.set(key, value);
    }
  }

  private surplusOf(markers: ReadonlyMap<string, string>): readonly string[] {
    if (markers.size < maxPerShard) return [];
    const byAge = [...markers].sort(([, a], [, b]) => Number(a) - Number(b));
    return byAge.slice(0, markers.size - maxPerShard + 1).map(([marker]) => marker);
  }

  private keyOf(marker: string): { readonly namespace: string; readonly name: string } {
    const shard = (Number.parseInt(marker.slice(0, 2), 16) % shards).toString().padStart(2, '0');
    return { namespace: this.options.namespace, name: `${this.options.installation}-once-${shard}` };
  }

  private shardOf(marker: string, signal: AbortSignal): Promise<Map<string, string>> {
    const { name } = this.keyOf(marker);
    let shard = this.loaded.get(name);
    if (!shard) {
      shard = this.load(name, signal);
      this.loaded.set(name, shard);
      shard.catch(() => this.loaded.delete(name));
    }
    return shard;
  }

  private async load(name: string, signal: AbortSignal): Promise<Map<string, string>> {
    const { client, namespace, installation } = this.options;
    try {
      const { data } = await client.get<KubeObject>(configMaps, { namespace, name }, { signal });
      return new Map(isJsonObject(data) ? (Object.entries(data) as [string, string][]) : []);
    } catch (thrown) {
      if (!isKubeError(thrown, 'kube-not-found')) throw thrown;
    }
    const metadata = { namespace, name, labels: { [ownerLabel]: installation } };
    try {
      await client.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: {} }, { signal });
    } catch (thrown) {
      if (!isKubeError(thrown, 'kube-already-exists')) throw thrown;
      return this.load(name, signal);
    }
    return new Map();
  }
}
