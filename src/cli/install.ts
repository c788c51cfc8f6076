import { type Command, InvalidArgumentError, Option } from 'commander';
import { loadInstall, parseFeatures } from '../app/index.ts';
import { renderJson, renderYaml, systemClock, UsageError } from '../base/index.ts';
import { type ClusterOptions, connectTo, contextOption, kubeconfigOption } from './cluster-options.ts';
import { confirm } from './confirm.ts';
import { type CliContext, messagesOf } from './context.ts';

interface InstallCommandOptions extends ClusterOptions {
  readonly namespace: string;
  readonly installation: string;
  readonly image: string;
  readonly replicas: number;
  readonly backupRegistry?: string;
  readonly features?: string;
  readonly part: readonly string[];
  readonly mirrorNamespace: readonly string[];
  readonly apiServerCidr: readonly string[];
  readonly detectionUser: readonly string[];
  readonly force: boolean;
  readonly apply?: boolean;
  readonly dryRun: boolean;
  readonly wait: boolean;
  readonly timeout: number;
  readonly config?: string;
  readonly pullSecret: readonly string[];
  readonly output: 'yaml' | 'json';
}

interface UninstallCommandOptions extends ClusterOptions {
  readonly namespace: string;
  readonly installation: string;
  readonly webhooksOnly: boolean;
  readonly keepPart: readonly string[];
  readonly crds: boolean;
  readonly yes: boolean;
  readonly dryRun: boolean;
}

export function defineInstall(program: Command, context: CliContext): void {
  target(program.command('install'))
    .summary('print or apply the manifests of an installation')
    .description(
      'Prints everything an installation needs, or applies it: a Deployment for each part of the program, with an account\n' +
        'of its own and the rights of its features only. An object of the same name that is not ours is never changed.',
    )
    .option('--image <image>', 'the image to run', 'ghcr.io/supercargo/supercargo:0.1.0')
    .option('--replicas <n>', 'how many replicas', parseReplicas, 2)
    .option('--backup-registry <registry>', 'clone images to this registry, with a path if wanted')
    .option('--features <names>', 'only these features, separated by commas')
    .option(
      '--part <name=features>',
      'a Deployment with these features, instead of the standard ones (repeatable)',
      append,
      [],
    )
    .option('--mirror-namespace <name>', 'allow reading the pull secrets of this namespace (repeatable)', append, [])
    .option('--api-server-cidr <cidr>', 'admit only these addresses to the webhooks (repeatable)', append, [])
    .option('--detection-user <user>', 'allow this user to write ImageDetected objects, too (repeatable)', append, [])
    .option('--config <file>', 'settings of the program (YAML)')
    .option('--pull-secret <name>', 'a Secret to pull the image with (repeatable)', append, [])
    .option('--dry-run', 'ask the cluster what would be applied, and change nothing', false)
    .option('--wait', 'with --apply: until all pods are ready', false)
    .option('--timeout <seconds>', 'how long --wait waits', parseSeconds, 300)
    .option('--force', 'with --apply: overwrite what others have changed, the configuration too', false)
    .option('--apply', 'apply to the cluster instead of printing')
    .addOption(
      new Option('-o, --output <format>', 'how manifests are printed').choices(['yaml', 'json']).default('yaml'),
    )
    .addHelpText(
      'after',
      '\nExamples:\n  supercargo install | kubectl apply -f -\n  supercargo install --apply --namespace images\n' +
        '  supercargo install --apply --backup-registry registry.example/copies --mirror-namespace shop\n' +
        '  supercargo install --apply --config supercargo.yaml --pull-secret registry --wait\n' +
        '  supercargo install --apply --part detect=detect --part create=create\n',
    )
    .action((options: InstallCommandOptions) => install(options, context));
  target(program.command('uninstall'))
    .summary('remove an installation from the cluster')
    .description('Removes what an installation created, last first. Only objects that carry its label are touched.')
    .option('--webhooks-only', 'remove the webhooks alone, and the rights to register them again', false)
    .option(
      '--keep-part <name=features>',
      'with --webhooks-only: a part that stays, with its webhooks (repeatable)',
      append,
      [],
    )
    .option('--crds', 'also the definitions it installed, and with them every policy, report and detection', false)
    .option('--yes', 'with --crds: without a question, as in a script', false)
    .option('--dry-run', 'say what would be removed', false)
    .action((options: UninstallCommandOptions) => uninstall(options, context));
}

function target(command: Command): Command {
  return command
    .option('--namespace <name>', 'the namespace of the installation', 'supercargo')
    .option('--installation <name>', 'its name: the value of the label supercargo.dev/owner', 'supercargo')
    .addOption(kubeconfigOption())
    .addOption(contextOption());
}

async function install(options: InstallCommandOptions, context: CliContext): Promise<void> {
  const { installManifests, applyManifests, parseParts, readInstallConfig, waitForDeployments } = await loadInstall();
  const { installation, namespace, force, dryRun } = options;
  if (options.features !== undefined && options.part.length > 0)
    throw new UsageError('install-features', 'choose one of --features and --part');
  const manifests = installManifests({
    ...options,
    features: options.features === undefined ? undefined : parseFeatures(options.features),
    parts: options.part.length > 0 ? parseParts(options.part) : undefined,
    mirrorNamespaces: options.mirrorNamespace,
    apiServerCidrs: options.apiServerCidr,
    detectionUsers: options.detectionUser,
    pullSecrets: options.pullSecret,
    config: options.config === undefined ? undefined : readInstallConfig(options.config),
  });
  if (namespace === 'default')
    messagesOf(context).warn(
      'policies will not count in the namespace default: that of the installation is exempt from its webhooks',
    );
  if (options.apply || dryRun)
    return onCluster(options, context, async (connection, onStep) => {
      const place = { installation, namespace, clock: systemClock };
      await applyManifests(manifests, { ...connection, ...place, force, dryRun, onStep });
      if (!options.wait || dryRun) return;
      const { client } = connection;
      const onReady = (name: string) => context.stdout.write(`deployment/${name} ready\n`);
      await waitForDeployments(manifests, { client, clock: systemClock, timeoutMs: options.timeout * 1_000, onReady });
    });
  const text =
    options.output === 'json'
      ? `${renderJson({ apiVersion: 'v1', kind: 'List', items: manifests }, 2)}\n`
      : manifests.map((manifest) => `---\n${renderYaml(manifest)}`).join('');
  context.stdout.write(text);
}

async function uninstall(options: UninstallCommandOptions, context: CliContext): Promise<void> {
  const { removeInstallation, removeWebhooks, removeFormerWebhooks, remainingOfParts, parseParts, ...install } =
    await loadInstall();
  const { installation, namespace, dryRun, webhooksOnly, keepPart } = options;
  if (keepPart.length > 0 && !webhooksOnly)
    throw new UsageError('uninstall-keep-part', '--keep-part belongs to --webhooks-only');
  const kept = parseParts(keepPart, '--keep-part');
  if (options.crds && webhooksOnly) throw new UsageError('uninstall-crds', 'choose one of --crds and --webhooks-only');
  if (options.yes && !options.crds) throw new UsageError('uninstall-yes', '--yes belongs to --crds');
  await onCluster(options, context, async (connection, onStep) => {
    const place = { installation, namespace, signal: context.signal };
    const found = options.crds ? await install.listInstalledDefinitions(connection.client, place) : undefined;
    if (found && !options.yes && !dryRun) await confirmLoss(found, installation, context);
    const definitions = found?.map(({ definition }) => definition);
    const given = definitions === undefined ? {} : { definitions };
    const work = { ...connection, ...given, installation, namespace, dryRun, clock: systemClock, onStep };
    if (kept.length > 0) await removeFormerWebhooks(work, remainingOfParts(kept, place));
    else await (webhooksOnly ? removeWebhooks : removeInstallation)(work);
  });
}

/** Before anything is removed. */
async function confirmLoss(
  found: readonly { readonly name: string; readonly objects: number }[],
  word: string,
  context: CliContext,
): Promise<void> {
  if (found.length === 0) return;
  const lines = found.map(({ name, objects }) => `  ${name} (${objects} ${objects === 1 ? 'object' : 'objects'})`);
  const consequence = `--crds deletes these definitions, and every object of their kinds in the cluster:\n${lines.join('\n')}`;
  await confirm({ consequence, word, option: '--yes' }, context);
}

const wouldBe = { applied: 'would be applied', removed: 'would be removed', kept: 'kept', absent: 'absent' } as const;

type Install = Awaited<ReturnType<typeof loadInstall>>;
type Say = Parameters<Install['applyManifests']>[1]['onStep'];
type Connected = Awaited<ReturnType<typeof connectTo>>;

async function onCluster(
  options: ClusterOptions & { readonly dryRun?: boolean },
  context: CliContext,
  work: (connection: Connected, say: Say) => Promise<void>,
): Promise<void> {
  const connection = await connectTo(options, context, messagesOf(context));
  try {
    await work(connection, ({ action, object, reason }) =>
      context.stdout.write(`${object} ${options.dryRun ? wouldBe[action] : action}${reason ? `: ${reason}` : ''}\n`),
    );
  } finally {
    await connection.client.close();
  }
}

function append(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (!Number.isInteger(seconds) || seconds < 1) throw new InvalidArgumentError('a whole number of seconds');
  return seconds;
}

function parseReplicas(text: string): number {
  const replicas = Number(text);
  if (!Number.isInteger(replicas) || replicas < 1 || replicas > 50)
    throw new InvalidArgumentError('a whole number from 1 to 50');
  return replicas;
}
