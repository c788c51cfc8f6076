import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

/** Of the 19 steps that anyone may step back. */
const niceness = 10;

/**
 * Lets the other threads and processes of the machine go before this thread. Linux alone has priorities of threads;
 * elsewhere, and where even this is not allowed, nothing changes.
 */
export function lowerThreadPriority(): void {
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    if (Number.isInteger(thread)) setPriority(thread, niceness);
  } catch {
    // No such file system, or no such right.
  }
}
