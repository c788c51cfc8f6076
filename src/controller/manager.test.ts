import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { createLeaderElection } from './leader-election.ts';
import { createManager, createSoleLeadership, type Leadership, type ManagerOptions } from './manager.ts';
import { type Runnable, startOrder } from './stages.ts';
import { createLeaseServer } from './testing/lease-server.ts';

type Actor = Partial<Omit<Runnable, 'name' | 'run'>> & { stopMs?: number; failAfterMs?: number; endAfterMs?: number };

/** Runnables that write their starts and stops with times into one transcript. */
function setup() {
  const clock = createFakeClock();
  const transcript: string[] = [];
  const note = (line: string) => void transcript.push(`${String(clock.now()).padStart(5)} ${line}`);
  const actor = (name: string, { stopMs = 0, failAfterMs, endAfterMs, ...rest }: Actor = {}): Runnable => ({
    name,
    ...rest,
    async run(signal) {
      note(`${name} starts`);
      try {
        await clock.sleep(failAfterMs ?? endAfterMs ?? 1e9, signal);
      } catch {
        note(`${name} is stopping`);
        await clock.sleep(stopMs);
        note(`${name} has stopped`);
        return;
      }
      if (endAfterMs !== undefined) return note(`${name} ends`);
      note(`${name} fails`);
      throw new Error('disk on fire');
    },
  });
  const start = (options: Omit<ManagerOptions, 'clock'>) => {
    const manager = createManager({ clock, ...options });
    const stop = new AbortController();
    const outcome = manager.run(stop.signal).then(
      () => note('manager has stopped'),
      (error: Error) => note(`manager rejects: ${error.message}`),
    );
    return { manager, stop: () => stop.abort(), outcome };
  };
  return { clock, transcript, note, actor, start };
}

/** A leadership that the test grants and revokes. */
function scriptedLeadership(group: string, note: (line: string) => void) {
  let leaderSession: AbortController | undefined;
  let begin = () => {};
  const leadership: Leadership = {
    group,
    async run(lead, signal) {
      while (!signal.aborted) {
        await new Promise<void>((resolve) => {
          begin = resolve;
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
        if (signal.aborted) break;
        leaderSession = new AbortController();
        const end = () => leaderSession?.abort();
        signal.addEventListener('abort', end, { once: true });
        note('lease won');
        await lead(leaderSession.signal);
        note(signal.aborted ? 'lease released' : 'lease gone');
      }
    },
  };
  return { leadership, win: () => begin(), lose: () => leaderSession?.abort() };
}

describe('a manager', () => {
  it('starts each stage when the one before is ready, and stops in reverse order', async () => {
    const { clock, transcript, note, actor, start } = setup();
    const group = scriptedLeadership('reports', note);
    const { stop, outcome } = start({
      runnables: [
        actor('report controller', { needsLeadership: 'reports', stopMs: 40 }),
        actor('pod informer', { order: startOrder.sources, ready: () => clock.now() >= 100 || 'has not listed yet' }),
        actor('policy informer', { order: startOrder.sources, ready: () => clock.now() >= 60 }),
        actor('install', { order: startOrder.setup, once: true, endAfterMs: 30 }),
        actor('webhook', { order: startOrder.servers, stopMs: 20 }),
        actor('report index', { needsLeadership: 'reports', order: startOrder.sources, stopMs: 5 }),
      ],
      leadership: [group.leadership],
      pollMs: 10,
    });
    await clock.advance(200);
    group.win();
    await clock.advance(300);
    stop();
    await clock.advance(1000);
    await outcome;
    expect(transcript.join('\n')).toBe(
      `
    0 install starts
   30 install ends
   30 pod informer starts
   30 policy informer starts
  100 webhook starts
  200 lease won
  200 report index starts
  200 report controller starts
  500 report controller is stopping
  540 report controller has stopped
  540 report index is stopping
  545 report index has stopped
  545 lease released
  545 webhook is stopping
  565 webhook has stopped
  565 pod informer is stopping
  565 policy informer is stopping
  565 pod informer has stopped
  565 policy informer has stopped
  565 manager has stopped`.slice(1),
    );
  });

  it('stops and awaits runnables that need leadership when it is lost, and starts them again when it is won again', async () => {
    const { clock, transcript, note, actor, start } = setup();
    const group = scriptedLeadership('g', note);
    const { stop, outcome } = start({
      runnables: [actor('bound', { needsLeadership: 'g', stopMs: 7 }), actor('server')],
      leadership: [group.leadership],
    });
    await clock.advance(0);
    group.win();
    await clock.advance(10);
    group.lose();
    await clock.advance(10);
    group.win();
    await clock.advance(10);
    stop();
    await clock.advance(100);
    await outcome;
    expect(transcript.join('\n')).toBe(
      `
    0 server starts
    0 lease won
    0 bound starts
   10 bound is stopping
   17 bound has stopped
   17 lease gone
   20 lease won
   20 bound starts
   30 bound is stopping
   37 bound has stopped
   37 lease released
   37 server is stopping
   37 server has stopped
   37 manager has stopped`.slice(1),
    );
  });

  it('releases a real lease only after the work that it protects has stopped', async () => {
    const { clock, transcript, note, actor, start } = setup();
    const server = createLeaseServer(clock);
    const election = createLeaderElection({
      client: server.connect('a').client,
      lease: { namespace: 'supercargo', name: 'reports' },
      identity: 'a',
      clock,
    });
    const { stop, outcome } = start({
      runnables: [actor('bound', { needsLeadership: 'reports', stopMs: 20_000 })],
      leadership: [election],
    });
    await clock.advance(1_000);
    stop();
    for (let second = 0; second < 21; second += 7) {
      note(`the holder is ${JSON.stringify(server.lease?.spec?.holderIdentity)}`);
      await clock.advance(7_000);
    }
    await outcome;
    note(`the holder is ${JSON.stringify(server.lease?.spec?.holderIdentity)}`);
    expect(transcript.map((line) => line.trim())).toEqual([
      '0 bound starts',
      '1000 the holder is "a"',
      '1000 bound is stopping',
      '8000 the holder is "a"',
      '15000 the holder is "a"',
      '21000 bound has stopped',
      '21000 manager has stopped',
      '22000 the holder is ""',
    ]);
  });

  it('gives the reasons why it is not ready, and ignores runnables bound to leadership', async () => {
    const { clock, note, actor, start } = setup();
    const group = scriptedLeadership('g', note);
    let reason: string | boolean = 'lists pods';
    const runnables = [
      actor('informer', { order: startOrder.sources, ready: () => reason }),
      actor('flaky', {
        order: startOrder.sources,
        ready: () => {
          if (reason !== true) throw new Error('cannot tell');
          return true;
        },
      }),
      actor('webhook', { order: startOrder.servers }),
      actor('bound', { needsLeadership: 'g', ready: () => false }),
    ];
    const leadership = [group.leadership];
    expect(createManager({ runnables, leadership }).isReady()).toEqual({
      ready: false,
      reasons: ['manager: has not started'],
    });
    const { manager, stop } = start({ runnables, leadership });
    await clock.advance(50);
    expect(manager.isReady().reasons).toEqual([
      'informer: lists pods',
      'flaky: cannot tell',
      'webhook: has not started',
    ]);
    reason = true;
    await clock.advance(50);
    expect(manager.isReady()).toEqual({ ready: true, reasons: [] });
    reason = false;
    expect(manager.isReady().reasons).toContain('informer: is not ready');
    reason = true;
    stop();
    await clock.advance(0);
    expect(manager.isReady().reasons).toEqual(['manager: is shutting down']);
  });

  it('stops everything in order when a runnable fails, and rejects with its name', async () => {
    const { clock, transcript, actor, start } = setup();
    const { outcome } = start({
      runnables: [
        actor('informer', { order: startOrder.sources }),
        actor('store', { failAfterMs: 50 }),
        actor('peer', { stopMs: 5 }),
      ],
    });
    await clock.advance(100);
    await outcome;
    expect(transcript.slice(3).join('\n')).toBe(
      `
   50 store fails
   50 peer is stopping
   55 peer has stopped
   55 informer is stopping
   55 informer has stopped
   55 manager rejects: runnable "store" failed: disk on fire`.slice(1),
    );
  });

  it('names the failed runnable bound to leadership, not the leadership', async () => {
    const { clock, transcript, actor, start } = setup();
    const { outcome } = start({
      runnables: [actor('bound', { needsLeadership: 'g', failAfterMs: 5 }), actor('server')],
      leadership: [createSoleLeadership('g')],
    });
    await clock.advance(100);
    await outcome;
    expect(transcript.at(-1)?.trim()).toBe('5 manager rejects: runnable "bound" failed: disk on fire');
    expect(transcript).toContain('    5 server has stopped');
  });

  it('fails during start-up too, without starting later stages', async () => {
    const { clock, transcript, actor, start } = setup();
    const { outcome } = start({
      runnables: [actor('install', { order: startOrder.setup, once: true, failAfterMs: 5 }), actor('later')],
    });
    await clock.advance(100);
    await outcome;
    expect(transcript.map((line) => line.trim())).toEqual([
      '0 install starts',
      '5 install fails',
      '5 manager rejects: runnable "install" failed: disk on fire',
    ]);
  });

  it('fails when a runnable ends before it is stopped', async () => {
    const { clock, transcript, actor, start } = setup();
    const { outcome } = start({ runnables: [actor('watch', { endAfterMs: 9 })] });
    await clock.advance(100);
    await outcome;
    expect(transcript.at(-1)).toContain('runnable "watch" ended before it was stopped');
  });

  it('gives up at the deadline, names what still runs, and has stopped all others', async () => {
    const { clock, transcript, actor, start } = setup();
    const { stop, outcome } = start({
      runnables: [
        actor('informer', { order: startOrder.sources }),
        actor('slow', { stopMs: 5_000, needsLeadership: 'g' }),
      ],
      leadership: [createSoleLeadership('g')],
      shutdownMs: 1_000,
    });
    await clock.advance(10);
    stop();
    await clock.advance(1_500);
    await outcome;
    expect(transcript.map((line) => line.trim())).toEqual([
      '0 informer starts',
      '0 slow starts',
      '10 slow is stopping',
      '1010 informer is stopping',
      '1010 manager rejects: shutdown took longer than 1000 ms; still running: informer, leadership of g, slow',
      '1010 informer has stopped',
    ]);
  });

  it('rejects duplicate names and unknown leadership groups', () => {
    const { actor } = setup();
    const codeOf = (options: ManagerOptions) => {
      try {
        createManager(options);
      } catch (thrown) {
        return (thrown as { code: string }).code;
      }
      return undefined;
    };
    expect(codeOf({ runnables: [actor('a'), actor('a')] })).toBe('controller-duplicate-name');
    const twice = [createSoleLeadership('g'), createSoleLeadership('g')];
    expect(codeOf({ runnables: [], leadership: twice })).toBe('controller-duplicate-name');
    expect(codeOf({ runnables: [actor('a', { needsLeadership: 'g' })] })).toBe('controller-unknown-leadership');
  });
});
