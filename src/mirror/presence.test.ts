import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { createCopyPresence } from './presence.ts';
import { mirrorRequestOf, signal } from './testing/fakes.ts';

const { copy } = mirrorRequestOf('busybox:1');

describe('the presence of a copy', () => {
  it('is read from the registry each time', async () => {
    let there: string | undefined = 'sha256:a';
    const presence = createCopyPresence({ head: async () => there, clock: createFakeClock() });
    expect(await presence.exists(copy, 'sha256:a', signal)).toBe(true);
    expect(await presence.exists(copy, 'sha256:b', signal)).toBe(false);
    there = undefined;
    expect(await presence.exists(copy, 'sha256:a', signal)).toBe(false);
  });

  it('costs one request for all concurrent callers, also when the first of them gives up', async () => {
    let looks = 0;
    let answer = (_: string) => {};
    const head = () => {
      looks++;
      return new Promise<string>((resolve) => {
        answer = resolve;
      });
    };
    const presence = createCopyPresence({ head, clock: createFakeClock() });
    const first = new AbortController();
    const impatient = presence.exists(copy, 'sha256:a', first.signal);
    const others = Promise.all(
      Array.from({ length: 100 }, () => presence.exists(copy, 'sha256:a', new AbortController().signal)),
    );
    first.abort(new Error('no more time'));
    await expect(impatient).rejects.toThrow('no more time');
    answer('sha256:a');
    expect(await others).toEqual(Array(100).fill(true));
    expect(looks).toBe(1);
  });

  it('is unknown when the registry does not answer in time', async () => {
    const clock = createFakeClock();
    const head = (_: unknown, look: AbortSignal) =>
      new Promise<string>((_resolve, reject) => look.addEventListener('abort', () => reject(look.reason)));
    const requested = createCopyPresence({ head, clock, timeoutMs: 5_000 }).exists(copy, 'sha256:a', signal);
    const outcome = expect(requested).rejects.toThrow('the time is over');
    await clock.advance(5_000);
    await outcome;
  });
});
