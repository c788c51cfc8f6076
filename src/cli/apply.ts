import { availableParallelism } from 'node:os';
import { type Command, Option } from 'commander';
import {
  type ApplySetup,
  type Finding,
  type FindingOptions,
  loadClusterSource,
  loadOffline,
  type PolicyApplication,
} from '../app/index.ts';
import { UsageError } from '../base/index.ts';
import { type ClusterOptions, connectTo, contextOption, kubeconfigOption } from './cluster-options.ts';
import { type CliContext, exitCodes, hasColours, messagesOf } from './context.ts';
import { bufferedWriter, openProgress, type ProgressBar } from './output.ts';
import { addPolicyOptions, append, checkInputs, type PolicyOptions, setupOptions } from './policy-options.ts';

interface ApplyCommandOptions extends PolicyOptions, ClusterOptions {
  readonly output: string;
  readonly outputDir?: string;
  readonly auditWarn: boolean;
  readonly detailed: boolean;
  readonly allowUnsupported: boolean;
  readonly cluster: boolean;
  readonly namespace?: string;
  readonly json?: readonly string[];
  readonly httpPayload?: readonly string[];
  readonly envoyPayload?: readonly string[];
}

const formats = ['table', 'json', 'yaml', 'sarif', 'junit', 'policyreport', 'resources'];

export function defineApply(program: Command, context: CliContext, setExitCode: (code: number) => void): void {
  addPolicyOptions(program.command('apply'))
    .summary('apply policies to resources, without a cluster')
    .description(
      'Applies Kyverno policies to manifests, or to what is in a cluster, and says what each rule makes of each resource.\n' +
        'Nothing is changed: mutated and generated resources are printed (-o resources) or written (--output-dir).',
    )
    .addOption(new Option('-o, --output <format>', 'how results are printed').choices(formats).default('table'))
    .option('--output-dir <dir>', 'write every mutated and generated resource to a file in this folder')
    .option('--detailed', 'list what passed and what was skipped, too', false)
    .option('--audit-warn', 'failures of rules that only audit are warnings', false)
    .option('--allow-unsupported', 'policies that cannot be run yet do not make the command fail', false)
    .option('--json <path>', 'documents for policies with evaluation.mode JSON', append)
    .option('--http-payload <path>', 'HTTP requests for policies with evaluation.mode HTTP', append)
    .option('--envoy-payload <path>', 'check requests of Envoy for policies with evaluation.mode Envoy', append)
    .option('--cluster', 'apply them to the objects of the cluster in the kubeconfig, instead of files', false)
    .option('-n, --namespace <name>', 'only this namespace of the cluster')
    .addOption(kubeconfigOption())
    .addOption(contextOption())
    .addHelpText(
      'after',
      `
Examples:
  supercargo apply policies/ -r deployment.yaml
  kustomize build . | supercargo apply policies/ -r - -o sarif > result.sarif
  supercargo apply mutate.yaml -r pods.yaml -o resources | kubectl apply -f -
  supercargo apply policies/ --cluster -n shop
  supercargo apply no-latest.yaml --json dockerfile.json

Exit codes: 0 no enforced rule failed, 1 an enforced rule failed, 2 wrong usage or input, or a policy that cannot be run,
5 the cluster cannot be reached.
`,
    )
    .action(async (policies: readonly string[], options: ApplyCommandOptions) =>
      setExitCode(await apply(policies, options, context)),
    );
}

async function apply(policies: readonly string[], options: ApplyCommandOptions, context: CliContext): Promise<number> {
  const { json = [], httpPayload: http = [], envoyPayload: envoy = [] } = options;
  checkInputs(policies, options, options.cluster, [...json, ...http, ...envoy]);
  if (options.namespace !== undefined && !options.cluster)
    throw new UsageError('cli-namespace-without-cluster', '--namespace goes with --cluster');
  const offline = await loadOffline();
  const files = offline.nodeFiles();
  const setup = offline.loadSetup({ files, ...setupOptions(policies, options) });
  const application = offline.openApplication(setup);
  reportPolicies(application, setup, context);

  const format = offline.reportFormats[options.output]!;
  const out = bufferedWriter(context.stdout);
  const sink = format.open({
    write: out.write,
    now: setup.now,
    version: context.version,
    hasColours: hasColours(context.stdout, context.env),
    width: context.stdout.isTTY ? context.stdout.columns : undefined,
  });
  const folder = options.outputDir === undefined ? undefined : await offline.openOutputFolder(options.outputDir);
  const findings: FindingOptions = {
    auditWarn: options.auditWarn,
    isDetailed: format.isDetailed,
    entries: options.detailed ? 'all' : format.entries,
    objects: format.objects === 'none' && folder ? 'changed' : format.objects,
  };
  const progress = await openProgress(context, out.flush);
  const summary = offline.emptySummary();
  let resources = 0;
  let isBlocked = false;
  try {
    for await (const finding of source({ application, setup, options, findings, context, files, progress })) {
      resources++;
      isBlocked ||= finding.isBlocked;
      for (const status of offline.statuses) summary[status] += finding.summary[status];
      sink.add(finding);
      if (folder) for (const object of changedBy(finding, format.objects === 'all')) await folder.write(object);
    }
  } finally {
    progress.stop();
  }
  const { programs } = application.policies;
  const totals = {
    policies: programs.length,
    rules: programs.reduce((sum, { rules }) => sum + rules.length, 0),
    resources,
    summary,
    notSupported: application.unsupported.map(
      ({ place, kind, name, reason }) => `${place}: ${kind} ${name}: ${reason}`,
    ),
  };
  sink.end(totals);
  out.flush();
  if (format.objects === 'all') context.stderr.write(offline.renderTotals(totals, offline.painter(false)));
  if (folder) context.stderr.write(`${folder.written} resources written to ${options.outputDir}\n`);
  if (isBlocked) return exitCodes.failed;
  return application.unsupported.length > 0 && !options.allowUnsupported ? exitCodes.usage : exitCodes.ok;
}

interface Source {
  readonly application: PolicyApplication;
  readonly setup: ApplySetup;
  readonly options: ApplyCommandOptions;
  readonly findings: FindingOptions;
  readonly context: CliContext;
  readonly files: ReturnType<Awaited<ReturnType<typeof loadOffline>>['nodeFiles']>;
  readonly progress: ProgressBar;
}

async function* source(given: Source): AsyncGenerator<Finding> {
  const { application, setup, options, findings, context, files, progress } = given;
  if (!options.cluster) {
    const { applyToFiles } = await loadOffline();
    const program = context.evaluationWorker;
    yield* applyToFiles({
      application,
      setup,
      files,
      resources: options.resource,
      payloads: { json: options.json, http: options.httpPayload, envoy: options.envoyPayload },
      findings,
      threads: program && { program, count: Math.min(availableParallelism(), 8) },
      onProgress: ({ resources, bytes, totalBytes }) => progress.update(resources, bytes, totalBytes),
      signal: context.signal,
    });
    return;
  }
  const { applyToCluster } = await loadClusterSource();
  const { signal } = context;
  const connection = await connectTo(options, context, messagesOf(context, 'error'));
  try {
    const { namespace } = options;
    const onProgress = (resources: number) => progress.update(resources, 0, undefined);
    yield* applyToCluster({ connection, application, findings, namespace, onProgress, signal });
  } finally {
    await connection.client.close();
  }
}

function* changedBy({ object, generated = [], entries }: Finding, isEverything: boolean) {
  // A report of all resources includes unchanged ones.
  const isChanged = !isEverything || entries.some(({ mutated }) => mutated !== undefined);
  if (object && isChanged) yield object;
  yield* generated;
}

/** Warnings about the policies, first of all: one line each on standard error. */
function reportPolicies(
  { policies, unsupported }: PolicyApplication,
  { ignored }: ApplySetup,
  { stderr }: CliContext,
): void {
  for (const { place, kind, name, reason } of unsupported) {
    const isSaid = reason.includes('not supported yet');
    stderr.write(
      `supercargo: ${place}: ${kind} ${name} was skipped: ${isSaid ? '' : 'not supported yet: '}${reason}\n`,
    );
  }
  for (const warning of policies.warnings) stderr.write(`supercargo: warning: ${warning}\n`);
  if (ignored > 0)
    stderr.write(`supercargo: ${ignored} documents among the policies are not policies and were skipped\n`);
}
