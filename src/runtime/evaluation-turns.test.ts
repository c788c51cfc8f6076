import { describe, expect, it } from 'vitest';
import { createEvaluationTurns } from './evaluation-turns.ts';

const never = new AbortController().signal;

describe('evaluation turns', () => {
  it('are round-robin over namespaces, however many evaluations wait in one of them', async () => {
    const turns = createEvaluationTurns();
    const order: string[] = [];
    const wait = (namespace: string) => turns.next(namespace, never).then(() => order.push(namespace));
    await Promise.all(['greedy', 'greedy', 'greedy', 'other', 'third'].map(wait));
    expect(order).toEqual(['greedy', 'other', 'third', 'greedy', 'greedy']);
  });

  it('let pending work run between two slices, and use at most half of the time', async () => {
    const pauses: number[] = [];
    let nowMs = 0;
    const turns = createEvaluationTurns({
      now: () => nowMs,
      defer: (work) => void setImmediate(work),
      after(ms, work) {
        pauses.push(ms);
        setImmediate(work);
      },
    });
    const slice = async () => {
      await turns.next('greedy', never);
      nowMs += 15;
    };
    await Promise.all([slice(), slice(), slice()]);
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    expect(pauses).toEqual([15, 15, 15]);
  });

  it('stop waiting when the signal aborts', async () => {
    const turns = createEvaluationTurns({ now: () => 0, defer: () => {}, after: () => {} });
    const stop = new AbortController();
    const waiting = turns.next('greedy', stop.signal);
    stop.abort();
    await waiting;
    await turns.next('greedy', stop.signal);
  });

  it('keep a namespace heavy for a minute', () => {
    let nowMs = 0;
    const turns = createEvaluationTurns({ now: () => nowMs, defer: () => {}, after: () => {} });
    expect(turns.isHeavy('greedy')).toBe(false);
    turns.charge('greedy');
    expect([turns.isHeavy('greedy'), turns.isHeavy('other')]).toEqual([true, false]);
    nowMs = 60_001;
    expect(turns.isHeavy('greedy')).toBe(false);
  });
});
