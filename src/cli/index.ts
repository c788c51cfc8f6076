/**
 * The command line: one thin file per command, which reads options, calls `app` and prints. No business logic.
 *
 * Invariants: every failure is one line on standard error, `supercargo: …`, with an exit code of `context.ts`.
 */
import { Command, CommanderError } from 'commander';
import { errorMessage, SupercargoError, UsageError } from '../base/index.ts';
import { defineApply } from './apply.ts';
import { defineCel } from './cel.ts';
import { type CliContext, exitCodes } from './context.ts';
import { defineExplain } from './explain.ts';
import { defineInstall } from './install.ts';
import { defineJobs } from './jobs.ts';
import { defineJp } from './jp.ts';
import { defineKubectl } from './kubectl.ts';
import { defineMirror } from './mirror.ts';
import { defineRender } from './render.ts';
import { defineReport } from './report.ts';
import { defineRun } from './run.ts';
import { defineScan } from './scan.ts';
import { defineSync } from './sync.ts';
import { defineTest } from './test.ts';
import { defineUp } from './up.ts';

export { programName } from './program-name.ts';

/** Runs one command and returns the exit code. */
export async function runCli(
  args: readonly string[],
  given: Omit<CliContext, 'version'>,
  version: string,
): Promise<number> {
  const context: CliContext = { ...given, version };
  let exitCode: number = exitCodes.ok;
  const setExitCode = (code: number) => {
    exitCode = code;
  };
  const program = new Command('supercargo')
    .description('Looks after the container images of a Kubernetes cluster.')
    .version(version, '-V, --version')
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void context.stdout.write(text),
      writeErr: (text) => void context.stderr.write(renderUsageError(text)),
    })
    .addHelpText(
      'after',
      '\nExit codes: 0 done, 1 failed, 2 wrong usage or input, 5 the cluster cannot be reached; sync has 3 and 4 too.\n',
    );
  defineUp(program, context);
  defineRun(program, context);
  defineReport(program, context, version);
  defineInstall(program, context);
  defineKubectl(program, context, setExitCode);
  defineApply(program, context, setExitCode);
  defineTest(program, context, setExitCode);
  defineExplain(program, context, setExitCode);
  defineCel(program, context, setExitCode);
  defineJp(program, context, setExitCode);
  defineScan(program, context, setExitCode);
  defineRender(program, context, setExitCode);
  defineMirror(program, context, setExitCode);
  defineSync(program, context, setExitCode);
  defineJobs(program, context, setExitCode);
  try {
    await program.parseAsync([...(args.length === 0 ? argumentsOfJob(context) : args)], { from: 'user' });
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

/** Commander puts a suggestion on its own line; an error is one line. */
function renderUsageError(text: string): string {
  const error = /^error: (.*)\n$/s.exec(text)?.[1];
  return error === undefined ? text : `supercargo: ${error.replaceAll('\n', ' ')} (--help shows what is possible)\n`;
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
