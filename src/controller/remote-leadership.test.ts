import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { silentLogger } from '../base/index.ts';
import { StillRunningError } from './errors.ts';
import { createLeadershipHost } from './leadership-host.ts';
import type { Lead } from './manager.ts';
import { createRemoteLeaderships } from './remote-leadership.ts';
import { createLeaseServer } from './testing/lease-server.ts';

/** A thread with the work and one with the election; `isStill` stops the former. */
function setup() {
  const clock = createFakeClock(Date.parse('2030-01-01T00:00:00Z'));
  const server = createLeaseServer(clock);
  const events: string[] = [];
  const say = (line: string) => void events.push(`${clock.monotonicMs()} ${line}`);
  let isStill = false;
  const held: (() => void)[] = [];
  const host = createLeadershipHost({
    client: server.connect('a').client,
    mayRenew: () => !isStill,
    clock,
    random: () => 0.5,
    log: silentLogger,
    post: (message) => {
      const receive = () => remote.receive(message);
      if (isStill) held.push(receive);
      else receive();
    },
  });
  const remote = createRemoteLeaderships((message) => host.receive(message));
  const lease = { namespace: 'supercargo', name: 'supercargo-detect' };
  const leadership = remote.leadershipOf(
    { group: 'detect', identity: 'pod_1_b', predecessors: 'pod_1_', lease },
    { onNewLeader: (holder) => say(`sees ${holder}`), onLeadingChanged: (isLeading) => say(`leading: ${isLeading}`) },
  );
  const stop = new AbortController();
  const start = (lead: Lead) => {
    const outcome = leadership.run(lead, stop.signal).then(
      () => say('over'),
      (thrown: Error) => say(`failed: ${thrown.constructor.name} ${thrown.message}`),
    );
    return { outcome };
  };
  /** Work that stops so long after it was told to. */
  const work =
    (stopMs = 0): Lead =>
    async (signal) => {
      say('starts');
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      say(`is told to stop: ${(signal.reason as Error).message}`);
      if (stopMs > 0) await clock.sleep(stopMs);
      say('has stopped');
    };
  const standStill = () => {
    isStill = true;
  };
  const goOn = () => {
    isStill = false;
    for (const receive of held.splice(0)) receive();
  };
  return { clock, server, events, say, remote, leadership, start, stop, work, standStill, goOn };
}

const holderOf = ({ lease }: ReturnType<typeof createLeaseServer>) => lease?.spec?.holderIdentity;

describe('leadership with its election in another thread', () => {
  it('leads, renews while the work winds down, and gives the lease back after it', async () => {
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
      '1000 is told to stop: shutdown',
      '21000 has stopped',
      '21000 leading: false',
      '21000 over',
    ]);
  });

  it('is not renewed while the thread of the work stands still, and goes on when it turns in time', async () => {
    const { clock, server, events, start, work, standStill, goOn } = setup();
    start(work());
    await clock.advance(5_000);
    standStill();
    const renewals = server.calls.length;
    await clock.advance(6_000);
    expect(server.calls.length).toBe(renewals);
    goOn();
    await clock.advance(6_000);
    expect(server.calls.length).toBeGreaterThan(renewals);
    expect(events).toEqual(['0 sees pod_1_b', '0 leading: true', '0 starts']);
  });

  it('is lost when the thread stands still for too long; work that cannot stop fails the program', async () => {
    const { clock, server, events, start, work, standStill, goOn } = setup();
    const { outcome } = start(work());
    await clock.advance(1_000);
    standStill();
    await clock.advance(20_000);
    // Not given back: nobody knows what the work does.
    expect(holderOf(server)).toBe('pod_1_b');
    goOn();
    await outcome;
    expect(events.slice(3)).toEqual([
      '21000 leading: false',
      '21000 is told to stop: the lease was lost',
      '21000 has stopped',
      '21000 failed: StillRunningError work still runs 5000 ms after "detect" was lost',
    ]);
  });

  it('takes over at once from an earlier process of its pod, and fails with what the work throws', async () => {
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

  it('keeps the lease when work that was told to stop still runs', async () => {
    const { clock, server, events, start } = setup();
    const { outcome } = start(async () => {
      throw new StillRunningError('controller-shutdown-deadline', 'still running: scan');
    });
    await clock.advance(0);
    await outcome;
    expect(events.at(-1)).toBe('0 failed: StillRunningError still running: scan');
    expect(holderOf(server)).toBe('pod_1_b');
  });

  it('stops its work and fails when the other thread is gone', async () => {
    const { clock, events, remote, leadership, start, work } = setup();
    const { outcome } = start(work(100));
    await clock.advance(1_000);
    remote.lost(new Error('the thread has ended'));
    await clock.advance(100);
    await outcome;
    expect(leadership.isLeading()).toBe(false);
    expect(events.slice(3)).toEqual([
      '1000 is told to stop: the lease was lost',
      '1100 has stopped',
      '1100 failed: Error the thread has ended',
    ]);
    await expect(leadership.run(work(), new AbortController().signal)).rejects.toThrow('the thread has ended');
  });
});
