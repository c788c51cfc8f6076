import { describe, expect, it } from 'vitest';
import { unreadMetrics } from '../../test/support/controller-metrics.ts';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { createRecordingLogger } from '../../test/support/recording-logger.ts';
import { SupercargoError } from '../base/index.ts';
import { type ControllerOptions, createController, type KeySink, type Reconcile } from './controller.ts';
import { createWorkqueue } from './workqueue.ts';

function setup(reconcile: Reconcile, options: Partial<ControllerOptions> = {}) {
  const clock = createFakeClock();
  const log = createRecordingLogger();
  const outcomes: string[] = [];
  const runs: string[] = [];
  let sink: KeySink | undefined;
  const controller = createController({
    name: 'test',
    clock,
    log,
    backoff: { jitter: 0 },
    metrics: {
      forController: (name) => ({
        queue: unreadMetrics().forQueue(name),
        reconciled: (outcome) => outcomes.push(outcome),
      }),
    },
    sources: [(given) => void (sink = given)],
    reconcile: (key, signal) => {
      runs.push(`${clock.now()} ${key}`);
      return reconcile(key, signal);
    },
    ...options,
  });
  const stop = new AbortController();
  const done = controller.run(stop.signal);
  return { clock, log, outcomes, runs, stop, done, controller, add: (key: string) => sink?.add(key) };
}

const failing = (...errors: unknown[]): Reconcile => {
  let calls = 0;
  return async () => {
    const index = calls++;
    if (index < errors.length) throw errors[index];
    return undefined;
  };
};

describe('a controller', () => {
  it('requires metrics, at compile time and at run time', () => {
    // @ts-expect-error -- metrics are required
    expect(() => createController({ name: 'test', sources: [], reconcile: async () => {} })).toThrow(TypeError);
    // @ts-expect-error -- metrics are required
    const queue = createWorkqueue({});
    expect(() => queue.add('a')).toThrow(TypeError);
  });

  it('reconciles a key once when that succeeds', async () => {
    const { clock, add, runs, outcomes } = setup(failing());
    add('ns/a');
    await clock.advance(1_000_000);
    expect(runs).toEqual(['0 ns/a']);
    expect(outcomes).toEqual(['success']);
  });

  it('requeues after the time that a successful reconcile returns', async () => {
    let left = 2;
    const { clock, add, runs, outcomes } = setup(async () => (left-- > 0 ? { requeueAfterMs: 300 } : undefined));
    add('a');
    await clock.advance(10_000);
    expect(runs).toEqual(['0 a', '300 a', '600 a']);
    expect(outcomes).toEqual(['requeue_after', 'requeue_after', 'success']);
  });

  it('backs off on ordinary errors, and starts from the shortest pause again after a success', async () => {
    const boom = new Error('boom');
    const { clock, add, runs, log } = setup(failing(boom, boom, boom));
    add('a');
    await clock.advance(1_000);
    expect(runs).toEqual(['0 a', '5 a', '15 a', '35 a']);
    const warnings = log.lines.filter(({ level }) => level === 'warn');
    expect(
      warnings.map(({ fields }) => [fields['controller'], fields['key'], fields['retries'], fields['pauseMs']]),
    ).toEqual([
      ['test', 'a', 0, 5],
      ['test', 'a', 1, 10],
      ['test', 'a', 2, 20],
    ]);
    expect(warnings[0]?.fields['err']).toBe(boom);
  });

  it('waits as long as an error says, without growing the back-off', async () => {
    const wait = new SupercargoError('test-busy', 'busy', { retry: { afterMs: 700 } });
    const { clock, add, runs } = setup(failing(wait, wait, new Error('boom')));
    add('a');
    await clock.advance(10_000);
    expect(runs).toEqual(['0 a', '700 a', '1400 a', '1405 a']);
  });

  it('logs a terminal error once and does not retry before the next event', async () => {
    const { clock, add, runs, log, outcomes } = setup(failing(new SupercargoError('test-bad', 'bad spec')));
    add('a');
    await clock.advance(10_000_000);
    expect(runs).toEqual(['0 a']);
    expect(log.lines.map(({ level }) => level)).toEqual(['error']);
    add('a');
    await clock.advance(0);
    expect(runs).toHaveLength(2);
    expect(outcomes).toEqual(['terminal_error', 'success']);
  });

  it('retries after a conflict, although the same call would be refused again', async () => {
    const conflict = new SupercargoError('kube-conflict', 'the object has been modified');
    const { clock, add, runs } = setup(failing(conflict));
    add('a');
    await clock.advance(100);
    expect(runs).toEqual(['0 a', '5 a']);
  });

  it.each([
    ['a string', 'just text'],
    ['undefined', undefined],
    ['null', null],
    ['an object without a prototype', Object.create(null)],
  ])('backs off when %s is thrown', async (_, thrown) => {
    const { clock, add, runs, log } = setup(failing(thrown));
    add('a');
    await clock.advance(100);
    expect(runs).toEqual(['0 a', '5 a']);
    expect(log.lines[0]?.fields['thrown']).toEqual(expect.any(String));
  });

  it('survives a reconcile that throws before it returns a promise', async () => {
    let calls = 0;
    const { clock, add, runs } = setup(() => {
      if (calls++ === 0) throw new Error('not even a promise');
      return Promise.resolve(undefined);
    });
    add('a');
    await clock.advance(100);
    expect(runs).toHaveLength(2);
  });

  it('aborts active reconciles when it stops, and does not count that as a failure', async () => {
    const clock = createFakeClock();
    const { add, stop, done, log, outcomes } = setup((_, signal) => clock.sleep(1_000, signal));
    add('a');
    await clock.advance(1);
    stop.abort();
    await done;
    expect(log.lines).toEqual([]);
    expect(outcomes).toEqual([]);
  });

  it('stops its sources, and starts them again with an empty queue on the next run', async () => {
    const clock = createFakeClock();
    const seen: string[] = [];
    let run = 0;
    const controller = createController({
      metrics: unreadMetrics(),
      name: 'again',
      clock,
      reconcile: async (key) => void seen.push(key),
      sources: [
        async (sink, signal) => {
          sink.add(`run ${++run}`);
          sink.addAfter('late', 1_000);
          await clock.sleep(1_000_000, signal);
        },
      ],
    });
    for (let i = 0; i < 2; i++) {
      const stop = new AbortController();
      const done = controller.run(stop.signal);
      await clock.advance(500);
      stop.abort(new Error('enough'));
      await done;
    }
    await clock.advance(10_000);
    expect(seen).toEqual(['run 1', 'run 2']);
    expect(clock.pending).toBe(0);
  });

  it('fails with a clear error when a source fails, after everything else has stopped', async () => {
    const clock = createFakeClock();
    let isOtherStopped = false;
    const broken = async () => {
      await clock.sleep(10);
      throw new Error('watch refused');
    };
    const other = async (_: KeySink, signal: AbortSignal) => {
      await clock.sleep(1_000, signal).finally(() => {
        isOtherStopped = true;
      });
    };
    const { done } = setup(failing(), { sources: [broken, other] });
    const outcome = expect(done).rejects.toMatchObject({
      code: 'controller-source-failed',
      message: 'a source of controller "test" failed: watch refused',
    });
    await clock.advance(20);
    await outcome;
    expect(isOtherStopped).toBe(true);
  });
});
