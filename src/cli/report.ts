import { type Command, Option } from 'commander';
import { loadReport } from '../app/index.ts';
import { UsageError } from '../base/index.ts';
import { type ClusterOptions, connectTo, contextOption, kubeconfigOption } from './cluster-options.ts';
import { type CliContext, exitCodes } from './context.ts';
import { addMessageOptions, type LogOptions, messageLoggerOf } from './log-options.ts';
import { renderColumns } from './output.ts';

interface ReportOptions extends ClusterOptions, LogOptions {
  readonly by: 'policy' | 'namespace' | 'severity' | 'resource';
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
  readonly policy?: string;
  readonly result?: string;
  readonly severity?: string;
  readonly kind?: string;
  readonly details?: boolean;
  readonly summary?: boolean;
  readonly exitCode?: boolean;
  readonly output: 'table' | 'wide' | 'json' | 'yaml' | 'sarif' | 'junit' | 'html';
  readonly watch?: boolean;
}

export function defineReport(program: Command, context: CliContext, setExitCode: (code: number) => void): void {
  const command = program
    .command('report')
    .summary('what policies say of the cluster')
    .description(
      'Sums up the policy reports of the cluster, whichever tool wrote them, and lists what does not pass with its\n' +
        'messages, by severity; or gives all results in a format that other programs read. Without -A it looks at one\n' +
        'namespace, as kubectl does.',
    )
    .addOption(
      new Option('--by <what>', 'one line for each')
        .choices(['policy', 'namespace', 'severity', 'resource'])
        .default('policy'),
    )
    .option('-n, --namespace <name>', "one namespace (default: the kubeconfig's)")
    .option('-A, --all-namespaces', 'all namespaces, and what lives in none')
    .option('--policy <names>', 'only these policies, separated by commas')
    .option('--result <results>', 'only these: pass, fail, warn, error, skip')
    .option('--severity <severities>', 'only these: critical, high, medium, low, info, none')
    .option('--kind <kinds>', 'only resources of these kinds')
    .addOption(
      new Option('-o, --output <format>', 'how it is printed')
        .choices(['table', 'wide', 'json', 'yaml', 'sarif', 'junit', 'html'])
        .default('table'),
    )
    .option('--details', 'up to 200 of the results that do not pass, not 20 (the same as -o wide)')
    .option('--summary', 'only the counts')
    .option('--exit-code', 'end with exit code 1 if a result is fail or error')
    .option('-w, --watch', 'print again after every change')
    .addOption(kubeconfigOption())
    .addOption(contextOption())
    .addHelpText(
      'after',
      `
Examples:
  supercargo report -A                                what each policy says, and the worst failures
  supercargo report -n shop --by resource --result fail
  supercargo report -n shop --details                 more of what fails there
  supercargo report -A --severity critical,high --exit-code    for scripts
  supercargo report -A -o html > report.html          one page to read and to send on
  supercargo report -A --by severity --watch
`,
    )
    .action(async (options: ReportOptions) => setExitCode(await report(options, context)));
  addMessageOptions(command);
}

async function report(options: ReportOptions, context: CliContext): Promise<number> {
  if (options.allNamespaces && options.namespace !== undefined)
    throw new UsageError('report-namespaces', 'choose one of --namespace and --all-namespaces');
  const [results, severities] = [listOf(options.result), listOf(options.severity)];
  requireKnown('--result', results, columns);
  requireKnown('--severity', severities, knownSeverities);
  if (options.watch && options.output !== 'table' && options.output !== 'wide' && options.output !== 'json')
    throw new UsageError('report-watch', `--watch prints a table or JSON, not ${options.output}`);
  const { reportCluster, followReports } = await loadReport();
  const { by, output } = options;
  const connection = await connectTo(options, context, messageLoggerOf(options, context));
  const namespace = options.allNamespaces ? undefined : (options.namespace ?? connection.client.config.namespace);
  const request = {
    by,
    namespace,
    format: output,
    version: context.version,
    policies: listOf(options.policy),
    results,
    severities,
    kinds: listOf(options.kind),
  };
  const signal = AbortSignal.any([context.signal, ...(context.outputClosed ? [context.outputClosed] : [])]);
  let failed = 0;
  const print = async () => {
    if (options.watch && context.stdout.isTTY) context.stdout.write('\u001b[2J\u001b[H');
    const write = async (text: string) => {
      context.stdout.write(text);
    };
    const { groups, total, details } = await reportCluster(connection, request, write, signal);
    failed = total.fail + total.error;
    if (output !== 'table' && output !== 'wide') return;
    if (groups.length > 0) {
      context.stdout.write(renderTable(by, groups, total));
      const shown = options.details || output === 'wide' ? details : details.slice(0, maxShown);
      if (!options.summary) context.stdout.write(renderDetails(shown, total));
    } else context.stdout.write(`No results found${inNamespace(namespace)}\n`);
  };
  try {
    if (options.watch) await followReports(connection, namespace, print, signal);
    else await print();
  } catch (thrown) {
    // The reader closed the pipe.
    if (!context.outputClosed?.aborted) throw thrown;
  } finally {
    await connection.client.close();
  }
  return options.exitCode && failed > 0 ? exitCodes.failed : exitCodes.ok;
}

/** Without --details. */
const maxShown = 20;

/** The message of kubectl, with the namespace, so that a wrong one is visible. */
const inNamespace = (namespace: string | undefined) =>
  namespace === undefined ? '.' : ` in the namespace ${namespace}; -A looks at all of them.`;

type Counts = Readonly<Record<'pass' | 'fail' | 'warn' | 'error' | 'skip', number>>;
const columns = ['pass', 'fail', 'warn', 'error', 'skip'] as const;

function renderTable(by: string, groups: readonly (Counts & { readonly key: string })[], total: Counts): string {
  const row = (key: string, counts: Counts) => [key, ...columns.map((column) => String(counts[column]))];
  return renderColumns(
    [by.toUpperCase(), ...columns.map((column) => column.toUpperCase())],
    [...groups.map((group) => row(group.key, group)), ...(groups.length > 1 ? [row('total', total)] : [])],
  );
}

interface Detail {
  readonly result: string;
  readonly policy: string;
  readonly rule: string;
  readonly severity?: string;
  readonly resource: { readonly kind: string; readonly namespace?: string; readonly name: string };
  readonly message: string;
}

function renderDetails(details: readonly Detail[], { fail, error, warn }: Counts): string {
  if (details.length === 0) return '';
  const rows = details.map(({ result, severity = '', policy, rule, resource: { kind, namespace, name }, message }) => [
    result,
    severity,
    `${kind}/${namespace ? `${namespace}/` : ''}${name}`,
    `${policy}/${rule}`,
    message,
  ]);
  const more = fail + error + warn - details.length;
  const rest = more > 0 ? `and ${more} more; -o wide gives more of them, -o json all\n` : '';
  return `\n${renderColumns(['RESULT', 'SEVERITY', 'RESOURCE', 'RULE', 'MESSAGE'], rows)}${rest}`;
}

const knownSeverities = ['critical', 'high', 'medium', 'low', 'info', 'none'] as const;

/** With a misspelt value the cluster would look clean. */
function requireKnown(option: string, values: readonly string[] | undefined, known: readonly string[]): void {
  const unknown = values?.find((value) => !known.includes(value.toLowerCase()));
  if (unknown === undefined) return;
  throw new UsageError('report-filter', `${option} does not know ${JSON.stringify(unknown)}; use ${known.join(', ')}`);
}

function listOf(text: string | undefined): readonly string[] | undefined {
  const parts = text
    ?.split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  return parts?.length ? parts : undefined;
}
