import { createInterface } from 'node:readline';
import { UsageError } from '../base/index.ts';
import type { CliContext } from './context.ts';

interface Question {
  /** What would happen, before the question. */
  readonly consequence: string;
  /** What the user types to agree. */
  readonly word: string;
  /** The option that agrees beforehand. */
  readonly option: string;
}

/** Asks on a terminal; elsewhere nobody can answer, and only the option agrees. Throws unless the user agrees. */
export async function confirm({ consequence, word, option }: Question, context: CliContext): Promise<void> {
  const stdin = context.openStdin?.();
  if (stdin?.isTTY !== true || context.stderr.isTTY !== true)
    throw new UsageError('not-confirmed', `${consequence}\nnothing was done: agree with ${option}`);
  context.stderr.write(`${consequence}\nType ${word} to go on: `);
  const lines = createInterface({ input: stdin, signal: context.signal });
  const answer = await new Promise<string>((resolve) => {
    lines.once('line', resolve);
    lines.once('close', () => resolve(''));
  });
  lines.close();
  if (answer.trim() !== word) throw new UsageError('not-confirmed', 'nothing was done');
}
