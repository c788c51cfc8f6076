import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  type LocalCluster,
  type LocalFeatures,
  type LocalRegistry,
  loadConnect,
  loadDemo,
  loadLocal,
  loadLocalFeatures,
  loadLocalRegistry,
  localFeatures,
  parseFeatures,
} from '../app/index.ts';
import { type Logger, whenAborted } from '../base/index.ts';
import { type CliContext, dashboardPlace } from './context.ts';
import { addLogOptions, type LogOptions, loggerOf } from './log-options.ts';

interface UpOptions extends LogOptions {
  readonly dir?: string;
  readonly port?: number;
  readonly demo: boolean;
  readonly simulation: boolean;
  readonly jobDuration?: number;
  readonly features?: string;
  readonly output: 'text' | 'json';
}

export function defineUp(program: Command, context: CliContext): void {
  const command = program
    .command('up')
    .summary('start an embedded cluster on this machine')
    .description(
      'Starts an embedded Kubernetes API server with simulated nodes, in this process and on loopback only, and\n' +
        'runs until a signal. It is for trying, developing and testing: no container is started, no permission checked.',
    )
    .option('--dir <dir>', 'keep everything in this folder; without it the cluster ends with the process')
    .option('--port <port>', 'port of the API server (default: a free one)', parsePort)
    .option('--no-demo', 'start with an empty cluster and no guided demo')
    .option('--no-simulation', 'leave objects alone: Deployments make no Pods, Jobs do not complete')
    .option(
      '--features <names>',
      `only these parts, separated by commas, or none (default: ${localFeatures.join(',')})`,
    )
    .option('--job-duration <seconds>', 'how long the pods of Jobs run', parseSeconds)
    .addOption(
      new Option('-o, --output <format>', 'what is printed when ready').choices(['text', 'json']).default('text'),
    )
    .addHelpText(
      'after',
      `
Examples:
  supercargo up                              a cluster for this moment, with a guided demo
  supercargo up --dir ~/.supercargo --no-demo   one that is still there tomorrow
  supercargo up --no-demo -o json            for scripts: one line of JSON when ready
`,
    )
    .action((options: UpOptions) => up(options, context));
  addLogOptions(command, 'warn');
}

async function up(options: UpOptions, context: CliContext): Promise<void> {
  const features = featuresOf(options);
  const log = loggerOf(options, context, 'warn');
  const dir = options.dir === undefined ? undefined : resolve(options.dir);
  // Loads the modules of the features while the cluster starts.
  const [{ startLocal }, { startLocalRegistry }, local] = await Promise.all([
    loadLocal(),
    loadLocalRegistry(),
    features.length > 0 ? loadLocalFeatures() : undefined,
  ]);
  let registry: LocalRegistry | undefined;
  const cluster = await startLocal({
    dir,
    imageId: (image) => registry?.imageId(image),
    port: options.port,
    simulation: options.simulation,
    jobDurationMs: options.jobDuration === undefined ? undefined : options.jobDuration * 1000,
    temporaryDir: context.temporaryDir,
    env: context.env,
    log,
  });
  let running: LocalFeatures | undefined;
  let demoFolder: string | undefined;
  try {
    // After the cluster, which makes sure that no other process uses the folder.
    registry = await startLocalRegistry({ dir, log });
    const { kubeconfig } = cluster;
    running = await local?.startLocalFeatures({
      kubeconfig,
      features,
      registry: registry.host,
      env: context.env,
      dashboard: dashboardPlace(context),
      log,
    });
    announce({ cluster, registry, dashboard: running?.dashboard }, options, context);
    if (options.demo) {
      demoFolder = await openDemoFolder(dir, context);
      const page = running?.dashboard;
      await demo({ cluster, registry: registry.host, page, folder: demoFolder, log }, options, context);
    }
    await Promise.race([whenAborted(context.signal), ...(running ? [running.failed] : [])]);
  } finally {
    await running?.stop();
    await registry?.stop();
    await cluster.stop();
    if (demoFolder !== undefined && dir === undefined) await rm(demoFolder, { recursive: true, force: true });
  }
}

/** Where the demo keeps files: beside the cluster that it is about, and as long. */
async function openDemoFolder(dir: string | undefined, { temporaryDir }: CliContext): Promise<string> {
  if (dir === undefined) return mkdtemp(join(temporaryDir, 'supercargo-demo-'));
  const folder = join(dir, 'demo');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

function featuresOf({ features }: UpOptions) {
  if (features === undefined) return localFeatures;
  return features === 'none' ? [] : parseFeatures(features);
}

interface Started {
  readonly cluster: LocalCluster;
  readonly registry: LocalRegistry;
  readonly dashboard: string | undefined;
}

function announce(
  { cluster, registry, dashboard }: Started,
  { output, dir }: UpOptions,
  { stdout, uptimeMs }: CliContext,
): void {
  const startupMs = Math.round(uptimeMs());
  if (output === 'json') {
    const { kubeconfig, url, version } = cluster;
    stdout.write(
      `${JSON.stringify({ event: 'ready', kubeconfig, server: url, version, dashboard: dashboard ?? null, registry: registry.host, git: null, startupMs })}\n`,
    );
    return;
  }
  if (dashboard !== undefined)
    stdout.write(`${dashboard}\n   the page: every image and its whole life; open it in a browser\n\n`);
  stdout.write(`Supercargo is up: Kubernetes ${cluster.version} at ${cluster.url}, ready after ${startupMs} ms\n`);
  stdout.write(
    `Everything is ${dir === undefined ? 'in memory and ends with this process' : `kept in ${resolve(dir)}`}; stop it with Ctrl-C\n`,
  );
  stdout.write(`A registry for images is at ${registry.host}; copies of images go to ${registry.host}/copies\n`);
  stdout.write(`\n   export KUBECONFIG=${cluster.kubeconfig}\n`);
}

interface DemoOptions {
  readonly cluster: LocalCluster;
  readonly registry: string;
  /** The link to the page. */
  readonly page: string | undefined;
  readonly folder: string;
  readonly log: Logger;
}

async function demo(
  { cluster, registry, page, folder, log }: DemoOptions,
  options: UpOptions,
  context: CliContext,
): Promise<void> {
  const { output } = options;
  const [{ connect }, { playDemo }] = await Promise.all([loadConnect(), loadDemo()]);
  const connection = await connect({ env: context.env, kubeconfig: cluster.kubeconfig, log });
  try {
    await playDemo({
      connection,
      registry,
      folder,
      page: page && new URL(page).origin,
      features: featuresOf(options),
      program: context.program ?? 'supercargo',
      signal: context.signal,
      say: (line) => output === 'text' && context.stdout.write(`${line}\n`),
    });
  } catch (thrown) {
    // Ctrl-C during a scene is a normal end.
    if (!context.signal.aborted) throw thrown;
  } finally {
    await connection.client.close();
  }
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new InvalidArgumentError('a port is a whole number from 0 to 65535');
  return port;
}

function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (!Number.isFinite(seconds) || seconds < 0) throw new InvalidArgumentError('a number of seconds, 0 or more');
  return seconds;
}
