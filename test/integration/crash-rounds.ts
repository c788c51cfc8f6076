import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { type Body, createHttpClient, type HttpClient, type WatchEvent, WatchRefused } from '../support/http-client.ts';
import { eventually } from '../support/wait.ts';
import { type KeyRecord, type WriterCounts, writeUntilGone } from './crash-writer.ts';
import { type Program, readyLine, startSupercargo } from './program.ts';
import { type Pick, quantile, seeded } from './random.ts';

export interface CrashReport {
  readonly rounds: number;
  /** Kills that came before the program was ready. */
  readonly killedWhileStarting: number;
  readonly acknowledged: number;
  /** Writes without an answer that turned out to be stored, and not to be. */
  readonly pendingStored: number;
  readonly pendingLost: number;
  readonly medianStartMs: number;
  readonly slowestStartMs: number;
}

interface Identity {
  readonly caPem: string;
  readonly token: string;
}

const writers = 6;
const keysPerWriter = 12;
const namespace = 'default';

/** Kills the program with -9 again and again while it is written to, and checks after every restart what it knows. */
export async function runCrashRounds(rounds: number, seed: number): Promise<CrashReport> {
  const dir = mkdtempSync(path.join(tmpdir(), 'supercargo-crash-'));
  const run = new CrashRun(dir, seed);
  try {
    for (let round = 0; round < rounds; round++) await run.round();
    return await run.finish(rounds);
  } catch (thrown) {
    throw new Error(`after ${run.done} rounds with seed ${seed}, in ${dir}`, { cause: thrown });
  } finally {
    await run.killRunning();
    if (run.hasFinished) rmSync(dir, { recursive: true, force: true });
  }
}

class CrashRun {
  done = 0;
  hasFinished = false;
  private readonly keys: readonly KeyRecord[][];
  private readonly counts: WriterCounts = { acknowledged: 0, highestVersion: 0 };
  private readonly startsMs: number[] = [];
  private killedWhileStarting = 0;
  private pendingStored = 0;
  private pendingLost = 0;
  private identity: Identity | undefined;
  private running: Program | undefined;
  private observed: WatchEvent[] = [];

  private readonly pick: Pick;
  private readonly picks: readonly Pick[];

  constructor(
    private readonly dir: string,
    seed: number,
  ) {
    this.pick = seeded(seed);
    // Writers run in an order of their own; the schedule of kills must not depend on it.
    this.picks = Array.from({ length: writers }, (_, writer) => seeded(seed + 1 + writer));
    this.keys = Array.from({ length: writers }, (_, writer) =>
      Array.from({ length: keysPerWriter }, (_, index) => keyRecord(`w${writer}-${index}`, index % 3 === 0)),
    );
  }

  async round(): Promise<void> {
    if (this.pick(6) === 0) await this.killWhileStarting();
    const api = await this.start();
    try {
      await this.verify(api);
      const watches = await Promise.all(['configmaps', 'secrets'].map((resource) => this.follow(api, resource)));
      const writing = this.keys.map((keys, writer) => writeUntilGone(api, keys, this.picks[writer]!, this.counts));
      await this.untilKillMoment();
      await this.running!.end('SIGKILL');
      await Promise.all(writing);
      await Promise.all(watches.map(({ ended }) => ended));
    } finally {
      await api.close();
    }
    this.done++;
  }

  async finish(rounds: number): Promise<CrashReport> {
    const api = await this.start();
    await this.verify(api);
    await api.close();
    // An ordinary stop is part of the run too.
    expect(await this.running!.end('SIGTERM')).toBe(0);
    this.hasFinished = true;
    return {
      rounds,
      killedWhileStarting: this.killedWhileStarting,
      acknowledged: this.counts.acknowledged,
      pendingStored: this.pendingStored,
      pendingLost: this.pendingLost,
      medianStartMs: quantile(this.startsMs, 0.5),
      slowestStartMs: quantile(this.startsMs, 1),
    };
  }

  async killRunning(): Promise<void> {
    await this.running?.end('SIGKILL');
  }

  private launch(): Program {
    return startSupercargo([
      'up',
      '--dir',
      this.dir,
      '--no-demo',
      '--no-simulation',
      '--features',
      'none',
      '-o',
      'json',
    ]);
  }

  /** Some writes from now and a little more, so that a slow machine is killed as much in the middle as a fast one. */
  private async untilKillMoment(): Promise<void> {
    const enough = this.counts.acknowledged + this.pick(120);
    const deadline = performance.now() + 5_000;
    while (this.counts.acknowledged < enough && performance.now() < deadline) await sleep(1);
    await sleep(this.pick(8));
  }

  private async killWhileStarting(): Promise<void> {
    this.running = this.launch();
    await sleep(this.pick(Math.max(50, quantile(this.startsMs, 0.5) || 500)));
    await this.running.end('SIGKILL');
    this.killedWhileStarting++;
  }

  private async start(): Promise<HttpClient> {
    this.running = this.launch();
    const ready = await this.running.until(readyLine, 60_000);
    this.startsMs.push(ready.startupMs);
    const found = readIdentity(ready.kubeconfig);
    this.identity ??= found;
    expect(found, 'CA and token stay the same').toEqual(this.identity);
    return createHttpClient({ url: ready.server, ...this.identity });
  }

  /** Everything acknowledged is there, or what the one unanswered request made of it; nothing else is. */
  private async verify(api: HttpClient): Promise<void> {
    const stored = new Map<string, Body>();
    let listVersion = 0;
    for (const resource of ['configmaps', 'secrets']) {
      const collection = `/api/v1/namespaces/${namespace}/${resource}`;
      const { body } = await api.get(collection);
      listVersion = Number(body.metadata.resourceVersion);
      for (const item of body.items) stored.set(`${collection}/${item.metadata.name}`, item);
    }
    this.verifyHeard(stored);
    for (const record of this.keys.flat()) {
      const found = stored.get(record.path);
      stored.delete(record.path);
      this.verifyKey(record, found);
      record.pending = undefined;
      record.acknowledged = found && { value: storedValue(found), version: found.metadata.resourceVersion };
    }
    const strangers = [...stored.keys()].filter((name) => /\/w\d+-\d+$/.test(name));
    expect(strangers).toEqual([]);
    expect(listVersion, 'versions never go back').toBeGreaterThanOrEqual(this.counts.highestVersion);
    await this.verifyNewVersion(api);
    if (this.counts.highestVersion > 0) await this.verifyOldWatch(api);
  }

  private verifyKey({ path: name, acknowledged, pending }: KeyRecord, found: Body | undefined): void {
    const value = found && storedValue(found);
    if (pending && value === pending.value && value !== acknowledged?.value) {
      this.pendingStored++;
      if (found && acknowledged)
        expect(Number(found.metadata.resourceVersion), name).toBeGreaterThan(Number(acknowledged.version));
      return;
    }
    if (pending) this.pendingLost++;
    expect(found && { value, version: found.metadata.resourceVersion }, name).toEqual(acknowledged);
  }

  /** A watcher hears of nothing that is not stored. */
  private verifyHeard(stored: ReadonlyMap<string, Body>): void {
    const last = new Map<string, WatchEvent>();
    for (const event of this.observed) {
      const { namespace: ns, name, resourceVersion } = event.object.metadata;
      last.set(`/api/v1/namespaces/${ns}/${event.object.kind === 'Secret' ? 'secrets' : 'configmaps'}/${name}`, event);
      this.counts.highestVersion = Math.max(this.counts.highestVersion, Number(resourceVersion));
    }
    for (const [name, { type, object }] of last) {
      const found = Number(stored.get(name)?.metadata.resourceVersion ?? Number.POSITIVE_INFINITY);
      if (type === 'DELETED') expect(found, name).toBeGreaterThan(Number(object.metadata.resourceVersion));
      else if (stored.has(name)) expect(found, name).toBeGreaterThanOrEqual(Number(object.metadata.resourceVersion));
    }
    this.observed = [];
  }

  private async verifyNewVersion(api: HttpClient): Promise<void> {
    const name = `round-${this.done}`;
    const { status, body } = await api.post(`/api/v1/namespaces/${namespace}/configmaps`, { metadata: { name } });
    // The verification after the last round may meet its own name once more.
    if (status === 409) return;
    expect(status).toBe(201);
    expect(Number(body.metadata.resourceVersion), 'a new version').toBeGreaterThan(this.counts.highestVersion);
  }

  private async verifyOldWatch(api: HttpClient): Promise<void> {
    const target = `/api/v1/namespaces/${namespace}/configmaps?resourceVersion=${this.counts.highestVersion - 1}`;
    try {
      const stream = await api.watch(target);
      const event = await stream.next();
      stream.close();
      expect(event).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
    } catch (thrown) {
      if (!(thrown instanceof WatchRefused)) throw thrown;
      expect(thrown.answer.status).toBe(410);
    }
  }

  /** Remembers the events of a watch; the promise inside resolves when the watch has ended. */
  private async follow(api: HttpClient, resource: string): Promise<{ readonly ended: Promise<void> }> {
    const target = `/api/v1/namespaces/${namespace}/${resource}`;
    const { body } = await api.get(target);
    const stream = await eventually(() => api.watch(`${target}?resourceVersion=${body.metadata.resourceVersion}`));
    const reading = (async () => {
      for await (const event of stream) if (event.type !== 'BOOKMARK') this.observed.push(event);
    })();
    return { ended: reading };
  }
}

function keyRecord(name: string, isSecret: boolean): KeyRecord {
  const collection = `/api/v1/namespaces/${namespace}/${isSecret ? 'secrets' : 'configmaps'}`;
  const kind = isSecret ? 'Secret' : 'ConfigMap';
  return { collection, path: `${collection}/${name}`, name, kind, acknowledged: undefined, pending: undefined };
}

const storedValue = (object: Body): string => object.data['value'] ?? '';

/** Read with a text search: the program's own reader is not asked to vouch for what it wrote. */
function readIdentity(kubeconfig: string): Identity {
  const text = readFileSync(kubeconfig, 'utf8');
  const field = (name: string) => new RegExp(`${name}: "?([^"\\s]+)`).exec(text)?.[1] ?? '';
  return { caPem: Buffer.from(field('certificate-authority-data'), 'base64').toString(), token: field('token') };
}
