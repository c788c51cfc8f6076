import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { createLeaderElection } from './leader-election.ts';
import { createManager, createSoleLeadership, type Leadership, type ManagerOptions } from './manager.ts';
import { type Runnable, startOrder } from './stages.ts';
import { createLeaseServer } from './testing/lease-server.ts';

type Actor = Partial<Omit<Runnable, 'name' | 'run'>> & { stopMs?: number; failAfterMs?: number; endAfterMs?: number };

/** Runnables that write what they do, and when, into one transcript. */
function stage() {
  const clock = createFakeClock();
  const transcript: string[] = [];
  const say = (line: string) => void transcript.push(`${String(clock.now()).padStart(5)} ${line}`);
  const actor = (name: string, { stopMs = 0, failAfterMs, endAfterMs, ...rest }: Actor = {}): Runnable => ({
    name,
    ...rest,
    async run(signal) {
      say(`${name} starts`);
      try {
        await clock.sleep(failAfterMs ?? endAfterMs ?? 1e9, signal);
      } catch {
        say(`${name} is told to stop`);
        await clock.sleep(stopMs);
        say(`${name} has stopped`);
        return;
      }
      if (endAfterMs !== undefined) return say(`${name} ends`);
      say(`${name} fails`);
      throw new Error('disk on fire');
    },
  });
  const start = (options: Omit<ManagerOptions, 'clock'>) => {
    const manager = createManager({ clock, ...options });
    const stop = new AbortController();
    const outcome = manager.run(stop.signal).then(
      () => say('manager has stopped'),
      (error: Error) => say(`manager rejects: ${error.message}`),
    );
    return { manager, stop: () => stop.abort(), outcome };
  };
  return { clock, transcript, say, actor, start };
}

/** A leadership that a test hands over and takes away. */
function scriptedLeadership(group: string, say: (line: string) => void) {
  let term: AbortController | undefined;
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
        term = new AbortController();
        const end = () => term?.abort();
        signal.addEventListener('abort', end, { once: true });
        say('lease won');
        await lead(term.signal);
        say(signal.aborted ? 'lease released' : 'lease gone');
      }
    },
  };
  return { leadership, win: () => begin(), lose: () => term?.abort() };
}

describe('a manager', () => {
  it('starts stage by stage when the one before is ready, and stops in the reverse order', async () => {
    const { clock, transcript, say, actor, start } = stage();
    const group = scriptedLeadership('reports', say);
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
  500 report controller is told to stop
  540 report controller has stopped
  540 report index is told to stop
  545 report index has stopped
  545 lease released
  545 webhook is told to stop
  565 webhook has stopped
  565 pod informer is told to stop
  565 policy informer is told to stop
  565 pod informer has stopped
  565 policy informer has stopped
  565 manager has stopped`.slice(1),
    );
  });

  it('stops and awaits what needs leadership when that is lost, and starts it again when it is won again', async () => {
    const { clock, transcript, say, actor, start } = stage();
    const group = scriptedLeadership('g', say);
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
   10 bound is told to stop
   17 bound has stopped
   17 lease gone
   20 lease won
   20 bound starts
   30 bound is told to stop
   37 bound has stopped
   37 lease released
   37 server is told to stop
   37 server has stopped
   37 manager has stopped`.slice(1),
    );
  });

  it('gives a real lease back only after what it protects has stopped', async () => {
    const { clock, transcript, say, actor, start } = stage();
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
      say(`the holder is ${JSON.stringify(server.lease?.spec?.holderIdentity)}`);
      await clock.advance(7_000);
    }
    await outcome;
    say(`the holder is ${JSON.stringify(server.lease?.spec?.holderIdentity)}`);
    expect(transcript.map((line) => line.trim())).toEqual([
      '0 bound starts',
      '1000 the holder is "a"',
      '1000 bound is told to stop',
      '8000 the holder is "a"',
      '15000 the holder is "a"',
      '21000 bound has stopped',
      '21000 manager has stopped',
      '22000 the holder is ""',
    ]);
  });

  it('says why it is not ready, and counts nothing that is bound to leadership', async () => {
    const { clock, say, actor, start } = stage();
    const group = scriptedLeadership('g', say);
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

  it('brings everything down in order when a runnable fails, and rejects with its name', async () => {
    const { clock, transcript, actor, start } = stage();
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
   50 peer is told to stop
   55 peer has stopped
   55 informer is told to stop
   55 informer has stopped
   55 manager rejects: runnable "store" failed: disk on fire`.slice(1),
    );
  });

  it('names the runnable bound to leadership that failed, not the leadership', async () => {
    const { clock, transcript, actor, start } = stage();
    const { outcome } = start({
      runnables: [actor('bound', { needsLeadership: 'g', failAfterMs: 5 }), actor('server')],
      leadership: [createSoleLeadership('g')],
    });
    await clock.advance(100);
    await outcome;
    expect(transcript.at(-1)?.trim()).toBe('5 manager rejects: runnable "bound" failed: disk on fire');
    expect(transcript).toContain('    5 server has stopped');
  });

  it('fails during start-up too, without starting what comes later', async () => {
    const { clock, transcript, actor, start } = stage();
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

  it('takes a runnable that ends although nobody stopped it for a failure', async () => {
    const { clock, transcript, actor, start } = stage();
    const { outcome } = start({ runnables: [actor('watch', { endAfterMs: 9 })] });
    await clock.advance(100);
    await outcome;
    expect(transcript.at(-1)).toContain('runnable "watch" ended although nobody stopped it');
  });

  it('gives up at the deadline, says who still runs, and has told all the others to stop', async () => {
    const { clock, transcript, actor, start } = stage();
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
      '10 slow is told to stop',
      '1010 informer is told to stop',
      '1010 manager rejects: shutdown took longer than 1000 ms; still running: informer, leadership of g, slow',
      '1010 informer has stopped',
    ]);
  });

  it('refuses names that are used twice and leadership that nobody provides', () => {
    const { actor } = stage();
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
