/**
 * `.ci/run` sets it, because it installs what the tests need: there a suite that cannot run is a failure, not a skip.
 * Elsewhere the suite is skipped, and its reason printed.
 */
export const requireVariable = 'SUPERCARGO_REQUIRE_SERVERS';

export interface SkipContext {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly write?: (text: string) => void;
}

/** Passes on why tests cannot run: undefined where they can. Throws where they must. */
export function skipReason(
  what: string,
  reason: string | undefined,
  { env = process.env, write = (text) => void process.stderr.write(text) }: SkipContext = {},
): string | undefined {
  if (reason === undefined) return undefined;
  if (env[requireVariable] === 'true') throw new Error(`${what} must run, but ${reason} (${requireVariable} is set)`);
  write(`skipped: ${what}: ${reason}\n`);
  return reason;
}

/** What a search for a program answers: where it is, or why it cannot be had. */
export type Located = { readonly path: string } | { readonly path?: never; readonly reason: string };

/** Why tests that need one program cannot run. */
export const notLocated = (what: string, located: Located, context: SkipContext = {}) =>
  skipReason(what, located.path === undefined ? located.reason : undefined, context);

/** Why tests that need all of these cannot run. */
export function missingOf(what: string, needs: Readonly<Record<string, unknown>>, context: SkipContext = {}) {
  const absent = Object.keys(needs).filter((name) => needs[name] === undefined || needs[name] === false);
  return skipReason(what, absent.length === 0 ? undefined : `not installed: ${absent.join(', ')}`, context);
}
