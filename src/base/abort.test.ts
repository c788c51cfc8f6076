import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { linkAbort, onAbort, orAborted, whenAborted } from './abort.ts';

const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

describe('linkAbort', () => {
  it('aborts with the reason of its parent, now or later', () => {
    const parent = new AbortController();
    const before = linkAbort(parent.signal);
    const reason = new Error('stop');
    parent.abort(reason);
    expect(before.signal.reason).toBe(reason);
    expect(linkAbort(parent.signal).signal.reason).toBe(reason);
  });

  it('aborts without its parent, and leaves no listener on it once unlinked', () => {
    const parent = new AbortController();
    const linked = linkAbort(parent.signal);
    linked.abort('own');
    expect(parent.signal.aborted).toBe(false);
    expect(listeners(parent.signal)).toBe(1);
    linked.unlink();
    expect(listeners(parent.signal)).toBe(0);
  });

  it('needs no parent', () => {
    const linked = linkAbort(undefined);
    linked.abort('own');
    expect(linked.signal.reason).toBe('own');
    linked.unlink();
  });
});

describe('onAbort', () => {
  it('calls once, and at once when the signal has already aborted', () => {
    const reasons: unknown[] = [];
    const controller = new AbortController();
    onAbort(controller.signal, (reason) => reasons.push(reason));
    expect(reasons).toEqual([]);
    controller.abort('a');
    onAbort(controller.signal, (reason) => reasons.push(reason));
    expect(reasons).toEqual(['a', 'a']);
  });

  it('does not call after the listener is removed', () => {
    const controller = new AbortController();
    const reasons: unknown[] = [];
    onAbort(controller.signal, (reason) => reasons.push(reason))();
    controller.abort('a');
    expect(reasons).toEqual([]);
  });
});

it('whenAborted resolves with the abort', async () => {
  const controller = new AbortController();
  const aborted = whenAborted(controller.signal);
  controller.abort();
  await aborted;
  await whenAborted(controller.signal);
});

describe('orAborted', () => {
  it('rejects with the reason when the signal aborts first', async () => {
    const controller = new AbortController();
    const waiting = orAborted(new Promise(() => {}), controller.signal);
    controller.abort(new Error('stop'));
    await expect(waiting).rejects.toThrow('stop');
    await expect(orAborted(Promise.resolve(1), controller.signal)).rejects.toThrow('stop');
  });

  it('settles with the promise and removes its listener', async () => {
    const { signal } = new AbortController();
    await expect(orAborted(Promise.resolve(1), signal)).resolves.toBe(1);
    await expect(orAborted(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
    expect(listeners(signal)).toBe(0);
  });
});
