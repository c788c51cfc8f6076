import { describe, expect, it } from 'vitest';
import { maxFailed } from './checkpoint.ts';
import { FailedTriggers } from './failed-triggers.ts';

const pods = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true };
const failure = (name: string) => ({
  policy: 'p',
  type: pods,
  namespace: 'shop',
  name,
  uid: `uid-${name}`,
  operation: 'CREATE' as const,
  error: 'no',
});

describe('failed triggers', () => {
  it('are retried after growing pauses, and finally given up', () => {
    const failures = new FailedTriggers([], () => 0);
    const pauses: number[] = [];
    for (;;) {
      const decision = failures.add(failure('a'));
      if ('givenUp' in decision) break;
      pauses.push(decision.retryAfterMs);
    }
    expect(pauses.slice(0, 4)).toEqual([1000, 3000, 9000, 27_000]);
    expect(pauses.length).toBe(15);
    expect(pauses.at(-1)).toBe(30 * 60_000);
    expect(failures.size).toBe(0);
  });

  it('are bounded: the oldest is dropped when there are too many', () => {
    const failures = new FailedTriggers([]);
    for (let i = 0; i < maxFailed; i++) failures.add(failure(`${i}`));
    expect(failures.overflow()).toBeUndefined();
    failures.add(failure('0'));
    failures.add(failure('one too many'));
    expect(failures.overflow()?.name).toBe('1');
    expect(failures.size).toBe(maxFailed);
  });

  it('are kept per rule: a rule that succeeds is removed, a rule that was not tried stays', () => {
    const failures = new FailedTriggers([]);
    const rulesLeft = () => failures.list().map(({ rules }) => rules);
    failures.add({ ...failure('a'), rules: ['one', 'two'] }, new Set(['one', 'two', 'three']));
    failures.add({ ...failure('a'), rules: ['two'] }, new Set(['one', 'two']));
    expect(rulesLeft()).toEqual([['two']]);
    failures.add({ ...failure('a'), rules: ['four'] }, new Set(['four']));
    expect(rulesLeft()).toEqual([['two', 'four']]);
    expect(failures.delete(failure('a'), new Set(['three']))).toBe(false);
    expect(failures.delete(failure('a'), new Set(['four']))).toBe(true);
    expect(rulesLeft()).toEqual([['two']]);
    expect(failures.delete(failure('a'), new Set(['two']))).toBe(true);
    expect(failures.size).toBe(0);
  });

  it('cover the whole policy when too many rules failed, and in checkpoints of older versions', () => {
    const failures = new FailedTriggers([{ ...failure('old'), attempts: 1 }]);
    const many = Array.from({ length: 17 }, (_, i) => `rule-${i}`);
    failures.add({ ...failure('a'), rules: many }, new Set(many));
    for (const name of ['old', 'a']) {
      expect(failures.delete(failure(name), new Set(['rule-1']))).toBe(false);
      expect(failures.delete(failure(name))).toBe(true);
    }
  });

  it('keep their number of attempts in the checkpoint', () => {
    const before = new FailedTriggers([], () => 0);
    before.add(failure('a'));
    before.add(failure('a'));
    const after = new FailedTriggers(before.list(), () => 0);
    expect(after.add(failure('a'))).toMatchObject({ retryAfterMs: 9000 });
    expect(after.delete(failure('a'))).toBe(true);
    expect(after.list()).toEqual([]);
  });
});
