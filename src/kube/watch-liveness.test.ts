import { expect, it } from 'vitest';
import type { KubeObject } from '../object/index.ts';
import { createKubeClient } from './client.ts';
import { createInformer } from './informer.ts';
import { FakeStore } from './testing/fake-store.ts';
import { type Fault, startFaultProxy } from './testing/fault-proxy.ts';
import { pods, startServer, until } from './testing/server.ts';

/** A small seeded generator, so that a failing sequence can be repeated. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function randomFault(pick: (below: number) => number): Fault {
  const after = pick(6);
  const faults: Fault[] = [
    { kind: 'none' },
    { kind: 'silent', after },
    { kind: 'cut', after },
    { kind: 'close', after },
    { kind: 'expire', after },
    { kind: 'delay', after, ms: 5 },
    { kind: 'replay', after, events: 1 + pick(40) },
    { kind: 'replay', after, events: 1 + pick(40) },
    { kind: 'status', code: 410 },
    { kind: 'status', code: 500 },
    { kind: 'html' },
    { kind: 'garbage' },
  ];
  return faults[pick(faults.length)] as Fault;
}

class ChangeChecker {
  readonly problems: string[] = [];
  readonly handled = new Set<string>();
  readonly alive = new Map<string, string>();
  deletions = 0;

  readonly handler = {
    onAdd: ({ stored, key }: { stored: KubeObject; key: string }) => {
      if (this.alive.has(key)) this.problems.push(`${key} added twice`);
      this.see(key, stored);
    },
    onUpdate: ({ stored, key, previous }: { stored: KubeObject; key: string; previous: KubeObject }) => {
      if (this.alive.get(key) !== identity(previous)) this.problems.push(`${key} updated from an unknown state`);
      this.see(key, stored);
    },
    onDelete: ({ key }: { key: string }) => {
      if (!this.alive.delete(key)) this.problems.push(`${key} deleted twice`);
      this.deletions++;
    },
  };

  private see(key: string, object: KubeObject): void {
    const id = identity(object);
    if (this.handled.has(id)) this.problems.push(`${id} handled twice`);
    this.handled.add(id);
    this.alive.set(key, id);
  }
}

const identity = ({ metadata }: KubeObject): string => `${metadata.uid}@${metadata.resourceVersion}`;

it.each([1, 7, 20_300, 999_331])(
  'no change is lost or handled twice, whatever the connection does (seed %i)',
  async (seed) => {
    const pick = seeded(seed);
    const store = new FakeStore();
    for (let i = 0; i < 12; i++) store.put(`pod-${i}`);
    await using upstream = await startServer((request, response) => store.respond(request, response));
    let isCalm = false;
    await using proxy = await startFaultProxy(upstream, (request) => {
      if (isCalm) return { kind: 'none' };
      if (request.query.get('watch') === 'true') return randomFault(pick);
      return pick(5) === 0 ? { kind: 'status', code: 500 } : pick(8) === 0 ? { kind: 'html' } : { kind: 'none' };
    });
    const client = createKubeClient(proxy.config);
    const informer = createInformer<KubeObject>({
      client,
      type: pods,
      pageSize: 5,
      stallMs: 40,
      backoff: { baseMs: 2, maxMs: 10 },
      indexes: { parity: (pod) => [String(Number(pod['n'] ?? 0) % 2)] },
    });
    const checker = new ChangeChecker();
    informer.addHandler(checker.handler);
    const stop = new AbortController();
    const running = informer.run(stop.signal);

    // On a busy machine more changes are needed until enough faults were injected.
    for (let change = 0; change < 400 || (proxy.done.size < 9 && change < 4000); change++) {
      const name = `pod-${pick(20)}`;
      if (pick(4) === 0) store.delete(name);
      else store.put(name, { n: change, text: 'é'.repeat(pick(50)) });
      if (pick(60) === 0) store.compact();
      if (pick(25) === 0) store.bookmark();
      // Servers end watches by themselves too; each new one gets another fault.
      if (pick(8) === 0) store.endWatches();
      // Let the informer fall behind and catch up.
      if (pick(3) === 0) await new Promise((resolve) => setTimeout(resolve, pick(12)));
    }
    isCalm = true;
    store.endWatches();
    store.put('the-end');
    const isCaughtUp = () => informer.get('shop/the-end') !== undefined && informer.size === store.objects.size;
    await until(isCaughtUp, 'the informer has caught up');
    await until(() => informer.resourceVersion === String(store.version), 'the informer is at the last version');

    expect(checker.problems).toEqual([]);
    const server = [...store.objects.values()].map(identity).sort();
    expect(informer.list().map(identity).sort()).toEqual(server);
    expect([...checker.alive.values()].sort()).toEqual(server);
    const odd = [...store.objects.values()].filter((pod) => Number(pod['n'] ?? 0) % 2 === 1);
    expect(informer.byIndex('parity', '1').map(identity).sort()).toEqual(odd.map(identity).sort());
    // Enough kinds of faults were injected.
    expect(proxy.done.size).toBeGreaterThanOrEqual(9);
    expect(checker.deletions).toBeGreaterThan(10);

    stop.abort();
    await running;
    await client.close();
  },
);
