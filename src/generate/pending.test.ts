import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../object/index.ts';
import { type PendingTrigger, PendingTriggers } from './pending.ts';
import { pods } from './testing/history.ts';

const object = (version: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', uid: 'u', resourceVersion: version },
});
function trigger(
  operation: 'CREATE' | 'UPDATE',
  version: string,
  uid = 'u',
  done = () => {},
  rules?: ReadonlySet<string>,
): PendingTrigger {
  const identity = { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'a', uid };
  return { policy: 'p', type: pods, identity, context: { operation, object: object(version) }, rules, done };
}
const versions = (taken: readonly PendingTrigger[]) =>
  taken.map(({ context }) => `${context.operation} ${context.object?.metadata.resourceVersion ?? 'unread'}`);

describe('waiting triggers', () => {
  it('keep a creation apart from later updates, of which the last one counts', () => {
    const pending = new PendingTriggers();
    let finished = 0;
    const done = () => void finished++;
    pending.add('k', trigger('CREATE', '1', 'u', done));
    for (const version of ['2', '3', '4']) pending.add('k', trigger('UPDATE', version, 'u', done));
    const taken = pending.take('k');
    expect(versions(taken)).toEqual(['CREATE 1', 'UPDATE 4']);
    for (const one of taken) one.done();
    expect(finished).toBe(4);
    expect(pending.take('k')).toEqual([]);
  });

  it('keep updates apart that were observed by different rules', () => {
    const pending = new PendingTriggers();
    const [before, after] = [new Set(['one']), new Set(['one', 'two'])];
    for (const [version, rules] of [
      ['1', before],
      ['2', before],
      ['3', after],
    ] as const)
      pending.add(
        'k',
        trigger('UPDATE', version, 'u', () => {}, rules),
      );
    expect(versions(pending.take('k'))).toEqual(['UPDATE 2', 'UPDATE 3']);
  });

  it('keep two objects of one name apart', () => {
    const pending = new PendingTriggers();
    pending.add('k', trigger('UPDATE', '1', 'first'));
    pending.add('k', trigger('UPDATE', '2', 'second'));
    expect(versions(pending.take('k'))).toEqual(['UPDATE 1', 'UPDATE 2']);
  });

  it('keep a limited number of objects; the others are read again', () => {
    const pending = new PendingTriggers();
    for (let i = 0; i < 2_010; i++) pending.add(`k${i}`, trigger('CREATE', String(i)));
    expect(versions(pending.take('k1999'))).toEqual(['CREATE 1999']);
    expect(versions(pending.take('k2005'))).toEqual(['CREATE unread']);
    pending.add('next', trigger('CREATE', 'next'));
    expect(versions(pending.take('next'))).toEqual(['CREATE next']);
    expect(pending.size).toBe(2_008);
  });
});
