import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { silentLogger } from '../base/index.ts';
import { StillRunningError } from './errors.ts';
import { createLeadershipHost } from './leadership-host.ts';
import type { Lead } from './manager.ts';
import { createRemoteLeaderships } from './remote-leadership.ts';
import { createLeaseServer } from './testing/lease-server.ts';

/** One thread with the work and one with the election; `isStalled` stalls the former. */
function setup() {
  const clock = createFakeClock(Date.parse('2030-01-01T00:00:00Z'));
  const server = createLeaseServer(clock);
  const events: string[] = [];
  const note = (line: string) => void events.push(`${clock.monotonicMs()} ${line}`);
  let isStalled = false;
  const held: (() => void)[] = [];
  const host = createLeadershipHost({
    client: server.connect('a').client,
    mayRenew: () => !isStalled,
    clock,
    random: () => 0.5,
    log: silentLogger,
    post: (message) => {
      const receive = () => remote.receive(message);
      if (isStalled) held.push(receive);
      else receive();
    },
  });
  const remote = createRemoteLeaderships((message) => host.receive(message));
  const lease = { namespace: 'supercargo', name: 'supercargo-detect' };
  const leadership = remote.leadershipOf(
    { group: 'detect', identity: 'pod_1_b', predecessors: 'pod_1_', lease },
    { onNewLeader: (holder) => note(`sees ${holder}`), onLeadingChanged: (isLeading) => note(`leading: ${isLeading}`) },
  );
  const stop = new AbortController();
  const start = (lead: Lead) => {
    const outcome = leadership.run(lead, stop.signal).then(
      () => note('over'),
      (thrown: Error) => note(`failed: ${thrown.constructor.name} ${thrown.message}`),
    );
    return { outcome };
  };
  /** Work that stops `stopMs` after its signal aborts. */
  const work =
    (stopMs = 0): Lead =>
    async (signal) => {
      note('starts');
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      note(`is stopping: ${(signal.reason as Error).message}`);
      if (stopMs > 0) await clock.sleep(stopMs);
      note('has stopped');
    };
  const stall = () => {
    isStalled = true;
  };
  const resume = () => {
    isStalled = false;
    for (const receive of held.splice(0)) receive();
  };
  return { clock, server, events, note, remote, leadership, start, stop, work, stall, resume };
}

const holderOf = ({ lease }: ReturnType<typeof createLeaseServer>) => lease?.spec?.holderIdentity;

describe('leadership with its election in another thread', () => {
  it('leads, renews while the work stops, and then releases the lease', async () => {
    const { clock, server, events, leadership, start, stop, work } = setup();
    const { outcome } = start(work(20_000));
    await clock.advance(1_000);
    expect(leadership.isLeading()).toBe(true);
    stop.abort(new Error('shutdown'));
    await clock.advance(19_000);
    expect(holderOf(server)).toBe('pod_1_b');
    await clock.advance(2_000);
    await outcome;
    expect(holderOf(server)).toBe('');
    expect(leadership.isLeading()).toBe(false);
    expect(events).toEqual([
      '0 sees pod_1_b',
      '0 leading: true',
      '0 starts',
      '1000 is stopping: shutdown',
      '21000 has stopped',
      '21000 leading: false',
      '21000 over',
    ]);
  });

  it("is not renewed while the work's thread is stalled, and continues when it resumes in time", async () => {
    const { clock, server, events, start, work, stall, resume } = setup();
    start(work());
    await clock.advance(5_000);
    stall();
    const renewals = server.calls.length;
    await clock.advance(6_000);
    expect(server.calls.length).toBe(renewals);
    resume();
    await clock.advance(6_000);
    expect(server.calls.length).toBeGreaterThan(renewals);
    expect(events).toEqual(['0 sees pod_1_b', '0 leading: true', '0 starts']);
  });

  it('is lost when the thread is stalled for too long; work that cannot stop fails the program', async () => {
    const { clock, server, events, start, work, stall, resume } = setup();
    const { outcome } = start(work());
    await clock.advance(1_000);
    stall();
    await clock.advance(20_000);
    // Not released: the state of the work is unknown.
    expect(holderOf(server)).toBe('pod_1_b');
    resume();
    await outcome;
    expect(events.slice(3)).toEqual([
      '21000 leading: false',
      '21000 is stopping: the lease was lost',
      '21000 has stopped',
      '21000 failed: StillRunningError work still runs 5000 ms after "detect" was lost',
    ]);
  });

  it('takes over at once from an earlier process of its pod, and fails with the error of the work', async () => {
    const { clock, server, events, start } = setup();
    server.lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { namespace: 'supercargo', name: 'supercargo-detect', resourceVersion: '0' },
      spec: { holderIdentity: 'pod_1_a', leaseDurationSeconds: 15, renewTime: '2030-01-01T00:00:00.000000Z' },
    };
    const { outcome } = start(async () => {
      throw new TypeError('broken');
    });
    await clock.advance(0);
    await outcome;
    expect(events.at(-1)).toBe('0 failed: TypeError broken');
    expect(holderOf(server)).toBe('');
  });

  it('keeps the lease when the work still runs after its stop', async () => {
    const { clock, server, events, start } = setup();
    const { outcome } = start(async () => {
      throw new StillRunningError('controller-shutdown-deadline', 'still running: scan');
    });
    await clock.advance(0);
    await outcome;
    expect(events.at(-1)).toBe('0 failed: StillRunningError still running: scan');
    expect(holderOf(server)).toBe('pod_1_b');
  });

  it('stops its work and fails when the other thread has ended', async () => {
    const { clock, events, remote, leadership, start, work } = setup();
    const { outcome } = start(work(100));
    await clock.advance(1_000);
    remote.lost(new Error('the thread has ended'));
    await clock.advance(100);
    await outcome;
    expect(leadership.isLeading()).toBe(false);
    expect(events.slice(3)).toEqual([
      '1000 is stopping: the lease was lost',
      '1100 has stopped',
      '1100 failed: Error the thread has ended',
    ]);
    await expect(leadership.run(work(), new AbortController().signal)).rejects.toThrow('the thread has ended');
  });
});
