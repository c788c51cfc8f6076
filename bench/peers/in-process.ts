import { type Command, runMeasured } from '../support/process-usage.ts';
import type { Turn } from './comparison.ts';

/** What we take for one of `count` rounds, after enough of them that Node has compiled the code. */
export function measureHere(count: number, round: () => void): Omit<Turn, 'outcome'> {
  for (let i = 0; i < count / 4; i++) round();
  const [startMs, before] = [performance.now(), process.cpuUsage()];
  for (let i = 0; i < count; i++) round();
  const wallMs = performance.now() - startMs;
  const { user, system } = process.cpuUsage(before);
  return { wallMs: wallMs / count, cpuMs: (user + system) / 1000 / count };
}

/**
 * The CPU time that another program takes for one of `count` rounds: that of a process which does so many, less that of
 * one which does a single one, and so without start and compilation.
 */
export async function measureThere(
  count: number,
  command: (count: number) => Command,
): Promise<{ readonly cpuMs: number; readonly stdout: string }> {
  const start = await runMeasured(command(1));
  const { cpuMs, stdout } = await runMeasured(command(count + 1));
  return { cpuMs: (cpuMs - start.cpuMs) / count, stdout };
}
