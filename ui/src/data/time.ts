import { effect, signal } from '@preact/signals';
import { clockOffset, type Exchange } from '../model/clock.ts';
import { isVisible } from './app-state.ts';

const tickMs = 10_000;
const offsetMs = signal(0);

/** What the server's clock shows: ages are those of the cluster's objects, whatever the clock of this machine says. */
export const now = signal(Date.now());

/** Learns from the Date header of an answer. */
export function noteTime(date: string | null, exchange: Exchange): void {
  offsetMs.value = clockOffset(date, exchange) ?? offsetMs.peek();
}

/** Lets `now` go on while the page is seen. */
export function startClock(): void {
  effect(() => {
    if (!isVisible.value) return;
    const tick = () => {
      now.value = Date.now() + offsetMs.value;
    };
    tick();
    const timer = setInterval(tick, tickMs);
    return () => clearInterval(timer);
  });
}
