import { signal } from '@preact/signals';
import { describe, expect, it } from 'vitest';
import { createRefresher } from './refresher.ts';

const until = (holds: () => boolean) => expect.poll(holds, { interval: 2, timeout: 60_000 }).toBe(true);

function refresher(options: { readonly visible?: boolean } = {}) {
  const isAllowed = signal(options.visible ?? true);
  const loads: ((retryMs?: number) => void)[] = [];
  const made = createRefresher({
    isAllowed,
    minPauseMs: 1,
    load: () => new Promise((done) => loads.push((retryMs) => done(retryMs))),
  });
  return { ...made, isAllowed, loads };
}

describe('what keeps an answer up to date', () => {
  it('loads once at a time, and once for all changes that come meanwhile', async () => {
    const { loads, request, stop } = refresher();
    for (let i = 0; i < 5; i++) request();
    expect(loads).toHaveLength(1);
    loads[0]!();
    await until(() => loads.length === 2);
    loads[1]!();
    await new Promise((done) => setTimeout(done, 30));
    expect(loads).toHaveLength(2);
    stop();
  });

  it('loads nothing while the tab is hidden, and once when it is shown again', async () => {
    const { isAllowed, loads, request, stop } = refresher({ visible: false });
    request();
    request();
    expect(loads).toHaveLength(0);
    isAllowed.value = true;
    await until(() => loads.length === 1);
    stop();
  });

  it('tries again after an error that passes by itself', async () => {
    const { loads, request, stop } = refresher();
    request();
    loads[0]!(5);
    await until(() => loads.length === 2);
    stop();
  });

  it('loads nothing after its end', async () => {
    const { loads, request, stop } = refresher();
    request();
    stop();
    loads[0]!(1);
    request();
    await new Promise((done) => setTimeout(done, 20));
    expect(loads).toHaveLength(1);
  });
});
