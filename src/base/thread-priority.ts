import { readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

/** An unprivileged thread may lower its priority by up to 19. */
const niceness = 10;

/**
 * Lowers the priority of this thread below the other threads and processes of the machine. Only Linux has thread
 * priorities; elsewhere, and where this is not permitted, nothing changes.
 */
export function lowerThreadPriority(): void {
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    if (!Number.isInteger(thread)) return;
    setPriority(thread, Math.min(constants.priority.PRIORITY_LOW, getPriority(thread) + niceness));
  } catch {
    // No such file system, or no permission.
  }
}
