import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { createLeaderElection, type LeaderElectionOptions } from './leader-election.ts';
import { type CandidateOptions, startCandidate } from './testing/candidate.ts';
import { createLeaseServer } from './testing/lease-server.ts';
import { createMachineClock } from './testing/machine-clock.ts';

function setup() {
  const clock = createFakeClock(Date.parse('2030-01-01T00:00:00Z'));
  const server = createLeaseServer(clock);
  const events: string[] = [];
  const note = (line: string) => void events.push(`${clock.monotonicMs()} ${line}`);
  const start = (identity: string, options: Partial<CandidateOptions> = {}) =>
    startCandidate({
      identity,
      server,
      clock: createMachineClock(clock, { rate: 1, wallOffsetMs: 0 }),
      ...options,
      election: {
        onStartedLeading: () => note(`${identity} started leading`),
        onStoppedLeading: () => note(`${identity} stopped leading`),
        onNewLeader: (leader) => note(`${identity} sees ${leader}`),
        ...options.election,
      },
    });
  return { clock, server, events, note, start };
}

describe('leader election', () => {
  it('creates the lease, renews it, and records one holder without a transition', async () => {
    const { clock, server, start, events } = setup();
    const a = start('a');
    await clock.advance(5_000);
    expect(a.election.isLeading()).toBe(true);
    expect(server.lease?.spec).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      // Late rather than early: the server's `Date` has whole seconds.
      acquireTime: '2030-01-01T00:00:01.000000Z',
      renewTime: '2030-01-01T00:00:05.400000Z',
      leaseTransitions: 0,
    });
    expect(server.calls).toEqual(['a list', 'a create', 'a replace', 'a replace']);
    expect(events).toEqual(['0 a sees a', '0 a started leading']);
  });

  it("takes an expired lease at once by the server's time, whatever the local clocks say", async () => {
    const { clock, start, events } = setup();
    const hourMs = 3_600_000;
    const ahead = createMachineClock(clock, { rate: 1, wallOffsetMs: hourMs });
    const dead = start('dead', { clock: ahead });
    await clock.advance(100);
    dead.kill();
    await clock.advance(18_000);
    start('next', { clock: createMachineClock(clock, { rate: 1, wallOffsetMs: -hourMs }) });
    await clock.advance(0);
    expect(events.at(-1)).toBe('18100 next started leading');
  });

  it("waits for the rest of a lease by the server's time, plus 2 s for its inaccuracy", async () => {
    const { clock, start, events } = setup();
    const dead = start('dead');
    await clock.advance(100);
    dead.kill();
    await clock.advance(9_900);
    start('next');
    await clock.advance(20_000);
    // Renewed at 0 s, written as 1 s: 15 + 2 s later.
    expect(events.at(-1)).toBe('18000 next started leading');
  });

  it('does not take the lease of a live leader early, whatever the local clocks say', async () => {
    const { clock, start, events } = setup();
    start('a', { clock: createMachineClock(clock, { rate: 1, wallOffsetMs: -3_600_000 }) });
    await clock.advance(100_000);
    start('b', { clock: createMachineClock(clock, { rate: 1, wallOffsetMs: 3_600_000 }) });
    await clock.advance(100_000);
    expect(events).not.toContainEqual(expect.stringContaining('b started leading'));
  });

  it('takes the lease of its predecessor at once', async () => {
    const { clock, start, events } = setup();
    const dead = start('pod-1_uid_a');
    await clock.advance(100);
    dead.kill();
    await clock.advance(900);
    start('pod-1_uid_b', { election: { isPredecessor: (holder) => holder.startsWith('pod-1_uid_') } });
    await clock.advance(0);
    expect(events.at(-1)).toBe('1000 pod-1_uid_b started leading');
  });

  it('hands over at once when the leader stops, after its work has ended', async () => {
    const { clock, server, start, events } = setup();
    const a = start('a', { stopMs: 12_000 });
    await clock.advance(100);
    start('b', { random: () => 0 });
    await clock.advance(900);
    a.stop();
    await clock.advance(20_000);
    await a.done;
    expect(events).toEqual([
      ...['0 a sees a', '0 a started leading', '100 b sees a'],
      ...['13000 a stopped leading', '14100 b sees b', '14100 b started leading'],
    ]);
    expect(server.lease?.spec?.leaseTransitions).toBe(1);
  });

  it('clears the holder on release and keeps the fields that others wrote into the lease', async () => {
    const { clock, server, start } = setup();
    const a = start('a');
    await clock.advance(0);
    const lease = server.lease!;
    server.lease = { ...lease, metadata: { ...lease.metadata, resourceVersion: '77', annotations: { note: 'kept' } } };
    await clock.advance(3_000);
    expect(a.election.isLeading()).toBe(true);
    a.stop();
    await clock.advance(0);
    await a.done;
    expect(server.lease?.spec?.holderIdentity).toBe('');
    expect(server.lease?.metadata.annotations).toEqual({ note: 'kept' });
    expect(a.election.isLeading()).toBe(false);
    expect(clock.pending).toBe(0);
  });

  it('takes over from a dead leader when the lease has expired by its own monotonic clock, whatever the wall clocks say', async () => {
    const { clock, start, events } = setup();
    const a = start('a', { clock: createMachineClock(clock, { rate: 1, wallOffsetMs: 86_400_000 }) });
    await clock.advance(10);
    start('b', { clock: createMachineClock(clock, { rate: 1, wallOffsetMs: -86_400_000 }), random: () => 0 });
    await clock.advance(990);
    a.kill();
    await clock.advance(14_000);
    expect(events.filter((event) => event.includes('b started'))).toEqual([]);
    await clock.advance(4_000);
    // The last renewal was seen at 10 ms.
    expect(events.at(-1)).toBe('15010 b started leading');
  });

  it('tolerates API server failures that end before the renew deadline', async () => {
    const { clock, start, events } = setup();
    const a = start('a');
    await clock.advance(1_000);
    a.link.callResult = 'refused';
    await clock.advance(7_500);
    a.link.callResult = 'answered';
    await clock.advance(3_000);
    expect(a.election.isLeading()).toBe(true);
    expect(events).toEqual(['0 a sees a', '0 a started leading']);
  });

  it.each(['refused', 'hanging', 'answer-lost'] as const)(
    'stops leading at the renew deadline when calls are %s, and stays a candidate',
    async (callResult) => {
      const { clock, start, events } = setup();
      const a = start('a');
      await clock.advance(1_000);
      a.link.callResult = callResult;
      await clock.advance(8_999);
      expect(a.election.isLeading()).toBe(true);
      await clock.advance(1);
      expect(a.election.isLeading()).toBe(false);
      expect(events.at(-1)).toBe('10000 a stopped leading');
      a.link.callResult = 'answered';
      await clock.advance(8_000);
      expect(events.at(-1)).toContain('a started leading');
    },
  );

  it('counts its leader session from when a renewal was sent, not from when the response came', async () => {
    const { clock, start, events } = setup();
    const a = start('a');
    await clock.advance(1_000);
    a.link.latencyMs = 2_000;
    await clock.advance(1_300);
    a.link.callResult = 'refused';
    await clock.advance(20_000);
    // The response to the renewal sent at 2,200 came at 6,200.
    expect(events.find((event) => event.includes('stopped'))).toBe('12200 a stopped leading');
  });

  it('takes and keeps the lease although three slow calls in a row last longer than one call may', async () => {
    const { clock, server, start, events } = setup();
    const a = start('a');
    a.link.latencyMs = 900;
    await clock.advance(4_000);
    const lease = server.lease!;
    server.lease = { ...lease, metadata: { ...lease.metadata, resourceVersion: 'touched' } };
    await clock.advance(30_000);
    expect(server.calls.slice(0, 5)).toEqual(['a list', 'a create', 'a replace', 'a list', 'a replace']);
    expect(events).toEqual(['2700 a sees a', '2700 a started leading']);
    expect(a.election.isLeading()).toBe(true);
  });

  it('stops leading as soon as it sees another holder', async () => {
    const { clock, server, start, events } = setup();
    start('a');
    await clock.advance(1_000);
    const lease = server.lease!;
    server.lease = {
      ...lease,
      metadata: { ...lease.metadata, resourceVersion: '99' },
      spec: { ...lease.spec, holderIdentity: 'usurper' },
    };
    await clock.advance(1_300);
    expect(events.slice(-2)).toEqual(['2200 a sees usurper', '2200 a stopped leading']);
  });

  it('does not lead right after its machine froze, before any timer has fired', async () => {
    const { clock, start, events } = setup();
    const a = start('a');
    await clock.advance(1_000);
    a.clock.freeze();
    await clock.advance(60_000);
    expect(a.election.isLeading()).toBe(false);
    a.clock.thaw();
    await clock.advance(0);
    expect(events.slice(-2)).toEqual(['61000 a stopped leading', '61000 a started leading']);
  });

  it('renews visibly although its wall clock does not advance', async () => {
    const { clock, start, events } = setup();
    const machine = createMachineClock(clock, { rate: 1, wallOffsetMs: 0 });
    start('a', { clock: Object.assign(Object.create(machine), { now: () => 1_000 }) });
    await clock.advance(10);
    start('b');
    await clock.advance(120_000);
    expect(events.filter((event) => event.includes('b started'))).toEqual([]);
  });

  it('waits for the holder that it knew when the lease is deleted', async () => {
    const { clock, server, start, events } = setup();
    const a = start('a');
    await clock.advance(10);
    start('b');
    await clock.advance(100);
    a.link.callResult = 'refused';
    server.lease = undefined;
    await clock.advance(30_000);
    expect(events.slice(-3)).toEqual(['10000 a stopped leading', '15010 b sees b', '15010 b started leading']);
  });

  it('keeps leading when its own lease was deleted and no other candidate took it', async () => {
    const { clock, server, start, events } = setup();
    start('a');
    await clock.advance(1_000);
    server.lease = undefined;
    await clock.advance(30_000);
    expect(events).toEqual(['0 a sees a', '0 a started leading']);
    expect(server.lease).toBeDefined();
  });

  it('fails when work outlasts a lost lease, and leaves the lease alone', async () => {
    const { clock, server, start } = setup();
    const a = start('a', { stopMs: 60_000 });
    await clock.advance(100);
    a.link.callResult = 'refused';
    const outcome = expect(a.done).rejects.toMatchObject({ code: 'controller-leadership-overrun' });
    await clock.advance(12_000);
    a.link.callResult = 'answered';
    await clock.advance(10_000);
    await outcome;
    expect(server.lease?.spec?.holderIdentity).toBe('a');
  });

  it('fails when the lease is lost while the work stops too slowly', async () => {
    const { clock, start, events } = setup();
    const a = start('a', { stopMs: 60_000 });
    await clock.advance(1_000);
    a.stop();
    a.link.callResult = 'refused';
    const outcome = expect(a.done).rejects.toMatchObject({ code: 'controller-leadership-overrun' });
    await clock.advance(14_000);
    await outcome;
    expect(events.at(-1)).toBe('15000 a stopped leading');
  });

  it('releases the lease and rethrows the error when the work fails', async () => {
    const { clock, server } = setup();
    const election = createLeaderElection({ ...minimal(server.connect('a').client), clock });
    const done = election.run(async () => {
      await clock.sleep(500);
      throw new Error('boom');
    }, new AbortController().signal);
    const outcome = expect(done).rejects.toThrow('boom');
    await clock.advance(1_000);
    await outcome;
    expect(server.lease?.spec?.holderIdentity).toBe('');
  });

  it('stops quietly while it is only a candidate, and leaves the holder in place', async () => {
    const { clock, server, start } = setup();
    start('a');
    await clock.advance(10);
    const b = start('b');
    await clock.advance(3_000);
    b.stop();
    await clock.advance(0);
    await b.done;
    expect(server.lease?.spec?.holderIdentity).toBe('a');
  });

  it('releases a lease that it took without receiving the response', async () => {
    const { clock, server, start } = setup();
    const a = start('a');
    a.link.latencyMs = 100;
    await clock.advance(250);
    expect(server.lease?.spec?.holderIdentity).toBe('a');
    expect(a.election.isLeading()).toBe(false);
    a.stop();
    await clock.advance(1_000);
    await a.done;
    expect(server.lease?.spec?.holderIdentity).toBe('');
  });

  it('calls onLeadingChanged when leading starts and ends', async () => {
    const { clock, start } = setup();
    const leadingChanges: boolean[] = [];
    const a = start('a', { election: { onLeadingChanged: (isLeading) => leadingChanges.push(isLeading) } });
    await clock.advance(1_000);
    a.link.callResult = 'refused';
    await clock.advance(10_000);
    a.link.callResult = 'answered';
    await clock.advance(10_000);
    a.stop();
    await clock.advance(0);
    expect(leadingChanges).toEqual([true, false, true, false]);
  });

  it('rejects unsafe times', () => {
    const { client } = setup().server.connect('a');
    expect(() => createLeaderElection({ ...minimal(client), renewDeadlineMs: 15_000 })).toThrow('lease duration >');
    expect(() => createLeaderElection({ ...minimal(client), retryPeriodMs: 9_000 })).toThrow('15000, 10000, 9000');
  });
});

function minimal(client: LeaderElectionOptions['client']): LeaderElectionOptions {
  return { client, lease: { namespace: 'supercargo', name: 'reports' }, identity: 'a' };
}
