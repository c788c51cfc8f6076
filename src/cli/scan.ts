import { type Command, Option } from 'commander';
import { loadFiles, loadScan, type PolicyScan } from '../app/index.ts';
import { type CliContext, exitCodes } from './context.ts';
import { addMessageOptions, type LogOptions, messageLoggerOf } from './log-options.ts';
import { renderValue } from './output.ts';

interface ScanOptions extends LogOptions {
  readonly all: boolean;
  readonly output: 'table' | 'wide' | 'json' | 'yaml';
}

export function defineScan(program: Command, context: CliContext, setExitCode: (code: number) => void): void {
  const command = program
    .command('scan')
    .summary('show what an ImageResourcePolicy would detect')
    .description(
      'Looks through the registry of a policy and says of every tag whether it is chosen, and why. Nothing is written.\n' +
        "Credentials are those of this machine: docker's configuration, or for ECR what AWS finds in the environment.",
    )
    .argument('<policy>', 'the file of an ImageResourcePolicy; "-" is standard input')
    .option('--all', 'show every tag, not the first of those that were not chosen (the same as -o wide)', false)
    .addOption(
      new Option('-o, --output <format>', 'how the result is printed')
        .choices(['table', 'wide', 'json', 'yaml'])
        .default('table'),
    )
    .addHelpText(
      'after',
      `
Examples:
  supercargo scan policy.yaml
  AWS_PROFILE=dev supercargo scan policy.yaml -o json

Exit codes: 0 everything was looked at; 1 some repositories could not be read; 2 wrong usage, or nothing could be read.
`,
    )
    .action(async (policy: string, options: ScanOptions) => setExitCode(await run(policy, options, context)));
  addMessageOptions(command);
}

/** Of a repository with thousands of tags only the first are shown. */
const maxShown = 20;

async function run(policy: string, options: ScanOptions, context: CliContext): Promise<number> {
  const { output, all } = options;
  const [{ scanPolicy }, { nodeFiles }] = await Promise.all([loadScan(), loadFiles()]);
  const { env, signal, stdout, stderr } = context;
  const log = messageLoggerOf(options, context, 'error');
  const result = await scanPolicy({ files: nodeFiles(), policy, env, signal, log });
  for (const note of result.notes) stderr.write(`supercargo: ${note}\n`);
  if (output === 'json' || output === 'yaml') {
    const { decisions, ...rest } = result;
    const tags = decisions.map(({ candidate, ...decision }) => ({ ...candidate, ...decision }));
    stdout.write(renderValue({ ...rest, tags }, output));
  } else stdout.write(renderTable(result, all || output === 'wide'));
  return result.failures.length > 0 ? exitCodes.failed : exitCodes.ok;
}

function renderTable(
  { decisions, repositories, images, failures, chosen, missing, isTruncated }: PolicyScan,
  all: boolean,
): string {
  const [taken, others] = [decisions.filter((one) => one.chosen), decisions.filter((one) => !one.chosen)];
  const shown = [...taken, ...(all ? others : others.slice(0, maxShown))];
  const rows = shown.map(({ candidate, chosen: isChosen, reason, prefix }) => [
    isChosen ? '✓' : '–',
    candidate.repository,
    candidate.tag,
    prefix ?? '',
    reason,
  ]);
  const table = [['', 'REPOSITORY', 'TAG', 'PREFIX', 'WHY'], ...rows];
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)));
  const lines = table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
  if (shown.length < decisions.length)
    lines.push(`   … and ${decisions.length - shown.length} more (--all shows them)`);
  lines.push('', `${images} tags of ${repositories} repositories, ${chosen.length} would be detected`);
  if (missing !== undefined) lines.push(`The repository ${missing} does not exist or has no tag.`);
  if (isTruncated) lines.push('More repositories match than maxRepositories allows: the rest was not looked at.');
  for (const { repository, message } of failures) lines.push(`${repository} could not be read: ${message}`);
  return `${lines.join('\n')}\n`;
}
