import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { applyDefinitions } from '../../src/app/definitions.ts';
import type { KubeConnection } from '../../src/kube/index.ts';
import type { KubeObject } from '../../src/object/index.ts';
import type { Cluster } from '../support/real-cluster.ts';
import { eventually } from '../support/wait.ts';
import { connectTo, leases, namespaces } from './connection.ts';
import { type Program, startSupercargo } from './program.ts';

export const times = { leaseMs: 3_000, renewMs: 2_000, retryMs: 400 };
/** A candidate may see the last renewal up to one try, which jitter makes a fifth longer, after it was made. */
export const takeoverBoundMs = times.leaseMs + times.retryMs * 1.2;

/** Processes of `supercargo run` in one namespace, and what they say about who leads. */
export class Replicas {
  readonly running = new Map<Program, Replica>();
  private readonly dir = mkdtempSync(path.join(tmpdir(), 'supercargo-leaders-'));
  private readonly config = path.join(this.dir, 'config.yaml');
  private readonly stopped = new AbortController();
  private sampling: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly cluster: Cluster,
    private readonly client: KubeConnection,
    readonly namespace: string,
  ) {
    const { leaseMs, renewMs, retryMs } = times;
    const leaderElection = {
      leaseDuration: `${leaseMs}ms`,
      renewDeadline: `${renewMs}ms`,
      retryPeriod: `${retryMs}ms`,
    };
    // JSON is YAML.
    writeFileSync(
      this.config,
      JSON.stringify({ namespace, features: ['detect'], server: { port: 0 }, leaderElection }),
    );
  }

  static async create(cluster: Cluster): Promise<Replicas> {
    const client = await connectTo(cluster);
    const { metadata } = await client.create<KubeObject>(namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { generateName: 'leaders-' },
    });
    await applyDefinitions(client, 'supercargo');
    return new Replicas(cluster, client, metadata.name!);
  }

  async start(): Promise<Replica> {
    const args = ['run', '--config', this.config, '--kubeconfig', this.cluster.kubeconfigPath];
    const program = startSupercargo(args);
    const address = await program.until((output) => /"address":"([^"]+)"/.exec(output)?.[1]);
    const replica = new Replica(program, `http://${address}`);
    this.running.set(program, replica);
    this.sampling = Promise.all([this.sampling, replica.sample(this.stopped.signal)]);
    return replica;
  }

  /** The replica that says it leads; waits until there is one. */
  leader(timeoutMs = 20_000): Promise<Replica> {
    return eventually(
      () => {
        const found = [...this.running.values()].find((replica) => !replica.isGone && replica.isLeading);
        if (!found) throw new Error('nobody leads');
        return found;
      },
      { timeoutMs, intervalMs: 5 },
    );
  }

  async lease(): Promise<{ readonly holderIdentity: string; readonly leaseTransitions: number }> {
    const key = { namespace: this.namespace, name: 'supercargo-detect' };
    return (await this.client.get<KubeObject>(leases, key))['spec'] as never;
  }

  /** For how long two of them were certainly seen leading at once. */
  overlapMs(): number {
    const spans = [...this.running.values()].map((replica) => replica.spans());
    let overlapMs = 0;
    for (const [index, own] of spans.entries())
      for (const others of spans.slice(index + 1))
        for (const [from, to] of own)
          for (const [otherFrom, otherTo] of others)
            overlapMs += Math.max(0, Math.min(to, otherTo) - Math.max(from, otherFrom));
    return overlapMs;
  }

  async close(): Promise<void> {
    this.stopped.abort();
    for (const program of this.running.keys()) program.signal('SIGCONT');
    await Promise.all([...this.running.keys()].map((program) => program.end('SIGKILL')));
    await this.sampling;
    await this.client.close();
    rmSync(this.dir, { recursive: true, force: true });
  }
}

interface Sample {
  readonly sentMs: number;
  readonly receivedMs: number;
  readonly isLeading: boolean;
}

export class Replica {
  private readonly samples: Sample[] = [];

  constructor(
    readonly program: Program,
    private readonly url: string,
  ) {}

  get isGone(): boolean {
    return this.program.hasEnded;
  }

  get isLeading(): boolean {
    return this.samples.at(-1)?.isLeading ?? false;
  }

  /** Who this replica says it is, once it has said so. */
  get identity(): string | undefined {
    return /"identity":"([^"]+)"/.exec(this.program.output)?.[1];
  }

  async sample(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !this.isGone) {
      const sentMs = performance.now();
      try {
        const text = await (await fetch(`${this.url}/metrics`, { signal })).text();
        const isLeading = /^leader_election_master_status\{[^}]*\} 1$/m.test(text);
        this.samples.push({ sentMs, receivedMs: performance.now(), isLeading });
      } catch {
        // It was killed, or the test is over.
      }
      await sleep(20);
    }
  }

  /** The stretches of time in which it certainly led: between two answers in a row that say so. */
  spans(): readonly (readonly [number, number])[] {
    return this.samples.flatMap((sample, index) => {
      const next = this.samples[index + 1];
      // An answer that took long was given at an unknown moment; a process that stood still gives such answers.
      return sample.isLeading && next?.isLeading && next.receivedMs - next.sentMs < 500
        ? [[sample.receivedMs, next.sentMs] as const]
        : [];
    });
  }
}

/** Kills the leader with -9 and answers how long it took until another said that it leads. */
export async function killLeader(replicas: Replicas): Promise<number> {
  const leader = await replicas.leader();
  const before = await replicas.lease();
  const killedMs = performance.now();
  await leader.program.end('SIGKILL');
  const next = await replicas.leader();
  const tookMs = Math.round(performance.now() - killedMs);
  expect(next).not.toBe(leader);
  const after = await replicas.lease();
  expect(after.holderIdentity).not.toBe(before.holderIdentity);
  expect(after.leaseTransitions).toBe(before.leaseTransitions + 1);
  return tookMs;
}

/** Stops the leader's process for longer than the lease; when it goes on it must know at once that it leads no more. */
export async function pauseLeader(replicas: Replicas): Promise<number> {
  const leader = await replicas.leader();
  const pausedMs = performance.now();
  leader.program.signal('SIGSTOP');
  const next = await eventually(
    () => {
      const found = [...replicas.running.values()].find((each) => each !== leader && !each.isGone && each.isLeading);
      if (!found) throw new Error('nobody else leads');
      return found;
    },
    { timeoutMs: 20_000, intervalMs: 5 },
  );
  const tookMs = Math.round(performance.now() - pausedMs);
  leader.program.signal('SIGCONT');
  await eventually(() => expect(leader.isLeading).toBe(false));
  // For some tries of both, nothing changes any more.
  const { holderIdentity } = await replicas.lease();
  await sleep(times.retryMs * 4);
  expect((await replicas.lease()).holderIdentity).toBe(holderIdentity);
  expect(next.isLeading).toBe(true);
  return tookMs;
}
