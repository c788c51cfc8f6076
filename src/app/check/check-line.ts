import { errorCode, errorMessage, SupercargoError } from '../../base/index.ts';

/** What one check found. */
export interface CheckLine {
  readonly check: string;
  readonly result: 'pass' | 'warn' | 'fail';
  readonly found: string;
  /** What to do about it. */
  readonly remedy?: string;
}

type Check = () => Promise<readonly CheckLine[]>;

export const pass = (check: string, found: string): CheckLine => ({ check, result: 'pass', found });
export const warn = (check: string, found: string, remedy: string): CheckLine => ({
  check,
  result: 'warn',
  found,
  remedy,
});
export const fail = (check: string, found: string, remedy: string): CheckLine => ({
  check,
  result: 'fail',
  found,
  remedy,
});

/** No response: no other check can tell anything either. */
const unreachable: ReadonlySet<string | undefined> = new Set(['kube-unreachable', 'kube-timeout']);

/** The lines of a check. A check that may not read what it needs is a warning; one that fails otherwise is a failure. */
export async function guarded(name: string, check: Check): Promise<readonly CheckLine[]> {
  try {
    return await check();
  } catch (thrown) {
    if (!(thrown instanceof SupercargoError) || unreachable.has(errorCode(thrown))) throw thrown;
    const message = errorMessage(thrown);
    if (thrown.code === 'kube-forbidden')
      return [warn(name, `not checked: ${message}`, 'use an account that may read this')];
    return [fail(name, message, `see ${thrown.code} in docs/reference/errors.md`)];
  }
}

const shown = 4;

/** The first few names, and how many more there are. */
export function someOf(names: readonly string[]): string {
  const more = names.length - shown;
  return `${names.slice(0, shown).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
