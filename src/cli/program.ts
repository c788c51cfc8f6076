import { Command } from 'commander';
import { defineApply } from './apply.ts';
import { defineCel } from './cel.ts';
import { defineCheck } from './check.ts';
import { defineCompletion } from './completion.ts';
import { defineConfig } from './config.ts';
import type { CliContext } from './context.ts';
import { defineConvert } from './convert.ts';
import { defineDashboard } from './dashboard.ts';
import { defineExplain } from './explain.ts';
import { defineImages } from './images.ts';
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
import { defineVersion } from './version.ts';

/** All commands with their options. It runs nothing: completion, the reference and tests read it too. */
export function createProgram(context: CliContext, setExitCode: (code: number) => void): Command {
  const program = new Command('supercargo')
    .description('Looks after the container images of a Kubernetes cluster.')
    .version(context.version, '-V, --version')
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
  defineDashboard(program, context);
  defineImages(program, context, setExitCode);
  defineReport(program, context, setExitCode);
  defineInstall(program, context);
  defineCheck(program, context, setExitCode);
  defineConfig(program, context);
  defineKubectl(program, context, setExitCode);
  defineApply(program, context, setExitCode);
  defineTest(program, context, setExitCode);
  defineExplain(program, context, setExitCode);
  defineConvert(program, context, setExitCode);
  defineCel(program, context, setExitCode);
  defineJp(program, context, setExitCode);
  defineScan(program, context, setExitCode);
  defineRender(program, context, setExitCode);
  defineMirror(program, context, setExitCode);
  defineSync(program, context, setExitCode);
  defineJobs(program, context, setExitCode);
  defineVersion(program, context);
  defineCompletion(program, context);
  return program;
}

/** Commander puts a suggestion on its own line; an error is one line. */
function renderUsageError(text: string): string {
  const error = /^error: (.*)\n$/s.exec(text)?.[1];
  return error === undefined ? text : `supercargo: ${error.replaceAll('\n', ' ')} (--help shows what is possible)\n`;
}
