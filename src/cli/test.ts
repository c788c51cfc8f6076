import { type Command, Option } from 'commander';
import { loadOffline, type Paint, type TestFileResult, type TestRow } from '../app/index.ts';
import { errorMessage, SupercargoError, UsageError } from '../base/index.ts';
import { type CliContext, exitCodes, hasColours } from './context.ts';
import { bufferedWriter, renderValue } from './output.ts';

interface TestOptions {
  readonly list?: string;
  readonly fileName: string;
  readonly output: 'table' | 'wide' | 'json' | 'yaml' | 'junit' | 'markdown';
  readonly detailed: boolean;
  readonly failOnly: boolean;
}

export function defineTest(program: Command, context: CliContext, setExitCode: (code: number) => void): void {
  program
    .command('test')
    .summary('run the tests of policies')
    .description(
      'Runs Kyverno test files (cli.kyverno.io/v1alpha1, kind Test). A rule that says nothing has failed its row, unless\n' +
        'a skip is expected; rows whose policy cannot be run yet are skipped and counted.',
    )
    .argument('[dir...]', 'folders that are searched for tests, or test files')
    .option('--list <file>', 'names more folders, one a line, each taken by itself and not searched')
    .option('--file-name <name>', 'what test files are called', 'kyverno-test.yaml')
    .addOption(
      new Option('--detailed', 'list the rows that passed, too (the same as -o wide)')
        .default(false)
        .conflicts('failOnly'),
    )
    .option('--fail-only', 'list only what failed', false)
    .addOption(
      new Option('-o, --output <format>', 'how results are printed')
        .choices(['table', 'wide', 'json', 'yaml', 'junit', 'markdown'])
        .default('table'),
    )
    .addHelpText(
      'after',
      `
Examples:
  supercargo test policies/
  supercargo test --list changed.txt -o json
  supercargo test policies/ -o junit > results.xml
  supercargo test policies/ -o markdown --fail-only

Exit codes: 0 no row failed, 1 a row failed, 2 wrong usage, or a test that cannot be read.
`,
    )
    .action(async (dirs: readonly string[], options: TestOptions) =>
      setExitCode(await runTests(dirs, options, context)),
    );
}

async function runTests(dirs: readonly string[], options: TestOptions, context: CliContext): Promise<number> {
  if (dirs.length === 0 && options.list === undefined)
    throw new UsageError('cli-no-tests', 'no tests are named: give folders, or a file with --list');
  const offline = await loadOffline();
  const files = offline.nodeFiles();
  const tests = [
    ...new Set([
      ...offline.findTests(files, dirs, options.fileName),
      ...(options.list === undefined ? [] : offline.listedTests(files, options.list, options.fileName)),
    ]),
  ];
  const { output, failOnly } = options;
  const isTable = output === 'table' || output === 'wide';
  const isDetailed = options.detailed || (output === 'wide' && !failOnly);
  const out = bufferedWriter(context.stdout);
  const style = { paint: offline.painter(hasColours(context.stdout, context.env)), paintDiff: offline.paintDiff };
  const results: TestFileResult[] = [];
  const now = Date.now();
  for (const file of tests) {
    context.signal.throwIfAborted();
    try {
      const rows = offline.runTestFile(files, file, now);
      results.push({ file, rows });
      const isShown = !failOnly || rows.some(({ outcome }) => outcome === 'failed');
      if (isTable && isShown) out.write(renderFile(file, rows, isDetailed, style));
    } catch (thrown) {
      if (!(thrown instanceof SupercargoError)) throw thrown;
      results.push({ file, rows: [], unreadable: errorMessage(thrown) });
    }
  }
  const rows = results.flatMap((one) => one.rows);
  const broken = results.filter(({ unreadable }) => unreadable !== undefined);
  const counted = offline.summarise(tests.length, rows);
  // A test that cannot be read has not passed.
  const summary = { ...counted, rows: counted.rows + broken.length, failed: counted.failed + broken.length };
  const listed = failOnly ? onlyFailures(results) : results;
  if (output === 'junit') out.write(offline.renderTestJunit(listed));
  else if (output === 'markdown') out.write(offline.renderTestMarkdown(listed, summary));
  else if (isTable) out.write(renderSummary(summary, style.paint));
  else out.write(renderValue({ ...summary, failures: failuresOf(results) }, output));
  out.flush();
  for (const { unreadable = '' } of broken) context.stderr.write(`supercargo: ${unreadable.replaceAll('\n', ' ')}\n`);
  if (broken.length > 0) return exitCodes.usage;
  return summary.failed > 0 ? exitCodes.failed : exitCodes.ok;
}

function onlyFailures(results: readonly TestFileResult[]): readonly TestFileResult[] {
  return results
    .map((one) => ({ ...one, rows: one.rows.filter(({ outcome }) => outcome === 'failed') }))
    .filter(({ rows, unreadable }) => rows.length > 0 || unreadable !== undefined);
}

function failuresOf(results: readonly TestFileResult[]) {
  const unreadable = { policy: '', rule: '', resource: '', expected: '', actual: 'unreadable' };
  return [
    ...results.flatMap(({ rows }) =>
      rows
        .filter(({ outcome }) => outcome === 'failed')
        .map(({ test, policy, rule, resource, expected, actual }) => ({
          test,
          policy,
          rule,
          resource,
          expected,
          actual,
        })),
    ),
    ...results.filter((one) => one.unreadable !== undefined).map(({ file }) => ({ test: file, ...unreadable })),
  ];
}

interface Style {
  readonly paint: Paint;
  readonly paintDiff: (line: string, paint: Paint) => string;
}

/** One line for a passed test; for others, every row that did not pass. */
function renderFile(file: string, rows: readonly TestRow[], isDetailed: boolean, style: Style): string {
  const { paint } = style;
  const count = (outcome: TestRow['outcome']) => rows.filter((row) => row.outcome === outcome).length;
  const [passed, failed, skipped] = [count('passed'), count('failed'), count('skipped')];
  const symbol = failed > 0 ? paint('red', '✗') : passed > 0 ? paint('green', '✓') : paint('gray', '–');
  const counts = [
    `${passed} passed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ];
  const reasons = [...new Set(rows.filter(({ outcome }) => outcome === 'skipped').map(({ reason }) => reason))];
  const shown = rows.filter(({ outcome }) => outcome === 'failed' || (isDetailed && outcome === 'passed'));
  return [
    `${symbol} ${file}: ${counts.join(', ')}\n`,
    ...reasons.map((reason) => `    ${paint('gray', `– ${reason}`)}\n`),
    ...shown.map((row) => renderRow(row, style)),
  ].join('');
}

function renderRow(row: TestRow, { paint, paintDiff }: Style): string {
  const { policy, rule, kind, resource, expected, actual, outcome, reason } = row;
  const what = [policy, rule].filter((part) => part !== '').join(' / ');
  const head = `${what} on ${[kind, resource].filter((part) => part !== '').join(' ')}`;
  if (outcome === 'passed') return `    ${paint('green', '✓')} ${head}: ${expected}\n`;
  const [first = '', ...rest] = reason.split('\n');
  return [
    `    ${paint('red', '✗')} ${head}\n`,
    `        expected  ${paint('green', expected)}\n`,
    `        got       ${paint('red', actual)}\n`,
    `        why       ${first}\n`,
    ...rest.map((line) => `          ${paintDiff(line, paint)}\n`),
  ].join('');
}

function renderSummary(
  summary: { tests: number; rows: number; passed: number; failed: number; skipped: number },
  paint: Paint,
): string {
  const { tests, rows, passed, failed, skipped } = summary;
  const failedText = failed > 0 ? paint('red', `${failed} failed`) : `${failed} failed`;
  return `\n${tests} tests, ${rows} rows: ${paint('green', `${passed} passed`)}, ${failedText}, ${skipped} skipped\n`;
}
