import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { createInformer, type Informer, type KubeConnection } from '../../src/kube/index.ts';
import type { KubeObject } from '../../src/object/index.ts';
import type { Cluster } from '../support/real-cluster.ts';
import { eventually } from '../support/wait.ts';
import { configMaps, connectTo, namespaces } from './connection.ts';
import { type Pick, seeded } from './random.ts';
import { identity, RecordingHandler } from './recording-handler.ts';
import { type Fault, startTcpProxy } from './tcp-proxy.ts';

export interface LivenessReport {
  readonly seed: number;
  readonly writes: number;
  readonly faults: Readonly<Record<string, number>>;
  readonly handled: Readonly<Record<string, number>>;
  readonly settledMs: number;
}

export interface LivenessOptions {
  readonly seed: number;
  readonly durationMs: number;
  readonly objects?: number;
}

const minWrites = 300;
const kindsOfFaults = 5;

/**
 * Follows a namespace with informers behind a proxy that loses, cuts and delays, while objects are created, changed
 * and deleted; then, at rest, compares the informers and their handlers' calls with the server.
 */
export async function runLiveness(cluster: Cluster, options: LivenessOptions): Promise<LivenessReport> {
  const { seed, durationMs, objects = 150 } = options;
  const pick = seeded(seed);
  let isCalm = false;
  const proxy = await startTcpProxy(Number(new URL(cluster.url).port), () => (isCalm ? { kind: 'none' } : fault(pick)));
  const direct = await connectTo(cluster);
  const { metadata } = await direct.create<KubeObject>(namespaces, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { generateName: 'liveness-' },
  });
  const namespace = metadata.name!;
  const shaky = await connectTo(cluster, { port: proxy.port, fetchTimeoutMs: 1_500, connectTimeoutMs: 1_000 });
  const follow = (selection: object) => followed(shaky, { namespace, ...selection });
  const followers = [
    follow({}),
    follow({ labelSelector: 'odd=true' }),
    follow({ metadataOnly: true }),
    follow({ pageSize: 7 }),
  ];
  const stop = new AbortController();
  const running = followers.map(({ informer }) => informer.run(stop.signal));
  try {
    const writes = await writeFor(durationMs, direct, {
      namespace,
      objects,
      pick,
      cut: () => proxy.cutAll(),
      isEnough: (count) => count >= minWrites && proxy.done.size >= kindsOfFaults,
    });
    isCalm = true;
    proxy.silence(false);
    proxy.cutAll();
    const startedMs = performance.now();
    await eventually(() => compare(direct, namespace, followers), { timeoutMs: 30_000, intervalMs: 100 });
    const settledMs = Math.round(performance.now() - startedMs);
    for (const { recording } of followers) expect(recording.problems).toEqual([]);
    return {
      seed,
      writes,
      faults: Object.fromEntries(proxy.done),
      handled: followers[0]!.recording.counts,
      settledMs,
    };
  } finally {
    stop.abort();
    await Promise.all(running);
    await shaky.close();
    await direct.close();
    await proxy.close();
  }
}

interface Follower {
  readonly informer: Informer<KubeObject>;
  readonly recording: RecordingHandler;
  readonly selection: { readonly namespace: string; readonly labelSelector?: string };
}

function followed(client: KubeConnection, selection: Follower['selection']): Follower {
  const informer = createInformer<KubeObject>({
    client,
    type: configMaps,
    ...selection,
    stallMs: 400,
    backoff: { baseMs: 10, maxMs: 100 },
  });
  const recording = new RecordingHandler();
  informer.addHandler(recording.handler);
  return { informer, recording, selection };
}

/** Enough bytes for the handshake and some events, or not even that. */
function fault(pick: Pick): Fault {
  const afterBytes = pick(3) === 0 ? pick(2_000) : 1_500 + pick(30_000);
  const faults: readonly Fault[] = [
    { kind: 'none' },
    { kind: 'cut', afterBytes },
    { kind: 'cut', afterBytes },
    { kind: 'half-close', afterBytes },
    { kind: 'silent', afterBytes },
    { kind: 'silent', afterBytes },
    { kind: 'delay', ms: 1 + pick(60) },
    { kind: 'refuse' },
  ];
  return faults[pick(faults.length)]!;
}

interface WriteContext {
  readonly namespace: string;
  readonly objects: number;
  readonly pick: Pick;
  readonly cut: () => void;
  readonly isEnough: (writes: number) => boolean;
}

async function writeFor(
  durationMs: number,
  client: KubeConnection,
  { namespace, objects, pick, cut, isEnough }: WriteContext,
): Promise<number> {
  const there = new Set<string>();
  const startedMs = performance.now();
  // A busy machine is given more time, so that enough happens on it as well.
  const isOver = () => {
    const elapsedMs = performance.now() - startedMs;
    return elapsedMs >= 3 * durationMs || (elapsedMs >= durationMs && isEnough(writes));
  };
  let writes = 0;
  const writeOne = async (name: string): Promise<void> => {
    const text = 'é'.repeat(pick(400));
    const labels = { odd: String(pick(2) === 1) };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace, labels }, data: { text } };
    writes++;
    if (!there.has(name)) {
      there.add(name);
      await client.create(configMaps, object);
    } else if (pick(4) === 0) {
      there.delete(name);
      await client.delete(configMaps, { name, namespace });
    } else
      await client.patch(
        configMaps,
        { name, namespace },
        { type: 'merge', body: { metadata: { labels }, data: { text } } },
      );
  };
  while (!isOver()) {
    const names = new Set(Array.from({ length: 4 }, () => `object-${pick(objects)}`));
    await Promise.all([...names].map(writeOne));
    if (pick(40) === 0) cut();
    // Now and then the informers are given time to notice that nothing comes.
    if (pick(30) === 0) await sleep(pick(600));
  }
  return writes;
}

async function compare(client: KubeConnection, namespace: string, followers: readonly Follower[]): Promise<void> {
  for (const { informer, recording, selection } of followers) {
    const { items } = await client.list(configMaps, { namespace, labelSelector: selection.labelSelector });
    const expected = items.map(identity).sort();
    expect(informer.list().map(identity).sort()).toEqual(expected);
    expect([...recording.alive.values()].sort()).toEqual(expected);
  }
}
