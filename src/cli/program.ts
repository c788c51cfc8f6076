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

type Define = (program: Command, context: CliContext, setExitCode: (code: number) => void) => void;

/** In the order in which help shows them. */
const definitions: readonly (readonly [commands: readonly string[], define: Define])[] = [
  [['up'], defineUp],
  [['run'], defineRun],
  [['dashboard'], defineDashboard],
  [['images', 'image', 'status', 'tree'], defineImages],
  [['report'], defineReport],
  [['install', 'uninstall'], defineInstall],
  [['check'], defineCheck],
  [['config'], defineConfig],
  [['kubectl'], defineKubectl],
  [['apply'], defineApply],
  [['test'], defineTest],
  [['explain'], defineExplain],
  [['convert'], defineConvert],
  [['cel'], defineCel],
  [['jp'], defineJp],
  [['scan'], defineScan],
  [['render'], defineRender],
  [['mirror'], defineMirror],
  [['sync'], defineSync],
  [['jobs'], defineJobs],
  [['version'], defineVersion],
  // Reads all other commands.
  [[], defineCompletion],
];

/**
 * The commands with their options; only those that are defined together with the named one, where there is such a one: to
 * define all of them takes longer than to run a short one. It runs nothing: completion, the reference and tests read it too.
 */
export function createProgram(context: CliContext, setExitCode: (code: number) => void, named = ''): Command {
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
  const wanted = definitions.filter(([commands]) => commands.includes(named));
  for (const [, define] of wanted.length > 0 ? wanted : definitions) define(program, context, setExitCode);
  return program;
}

/** Commander puts a suggestion on its own line; an error is one line. */
function renderUsageError(text: string): string {
  const error = /^error: (.*)\n$/s.exec(text)?.[1];
  return error === undefined ? text : `supercargo: ${error.replaceAll('\n', ' ')} (--help shows what is possible)\n`;
}
