/**
 * The command line: one thin file per command, which reads options, calls `app` and prints. No business logic.
 *
 * Invariants: every failure is one line on standard error, `supercargo: …`, with an exit code of `context.ts`.
 */
import { CommanderError } from 'commander';
import { errorMessage, SupercargoError, UsageError } from '../base/index.ts';
import { type CliContext, exitCodes } from './context.ts';
import { createProgram } from './program.ts';

export { openOutput, openStream } from './open-output.ts';
export { programName } from './program-name.ts';

/** Runs one command and returns the exit code. */
export async function runCli(
  args: readonly string[],
  environment: Omit<CliContext, 'version'>,
  version: string,
): Promise<number> {
  const context: CliContext = { ...environment, version };
  let exitCode: number = exitCodes.ok;
  const setExitCode = (code: number) => {
    exitCode = code;
  };
  try {
    const given = args.length === 0 ? argumentsOfJob(context) : args;
    await createProgram(context, setExitCode, given[0]).parseAsync([...given], { from: 'user' });
    return exitCode;
  } catch (thrown) {
    return printError(thrown, context);
  }
}

/** Without arguments, as in the container of a job, the program runs the job that its environment names. */
function argumentsOfJob({ env }: CliContext): readonly string[] {
  const type = env['JOB_TYPE'];
  if (type === undefined || type === '') return [];
  if (type === 'kyverno-policy-sync') return ['sync'];
  throw new UsageError('job-type-unknown', `JOB_TYPE must be kyverno-policy-sync, not ${JSON.stringify(type)}`);
}

/** `cluster-unreachable`: no response at the start, or no access. The others: no response to a later call. */
const unreachable: ReadonlySet<string> = new Set(['cluster-unreachable', 'kube-unreachable', 'kube-timeout']);

function printError(thrown: unknown, { stderr }: CliContext): number {
  if (thrown instanceof CommanderError)
    return thrown.exitCode === 0 || thrown.code === 'commander.help' ? exitCodes.ok : exitCodes.usage;
  if (thrown instanceof SupercargoError) {
    // A policy may have several issues: one line each.
    for (const line of errorMessage(thrown).split('\n')) stderr.write(`supercargo: ${line}\n`);
    return unreachable.has(thrown.code) ? exitCodes.unreachable : exitCodes.usage;
  }
  stderr.write(
    `supercargo: unexpected error: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}\n`,
  );
  return exitCodes.failed;
}
