import { type Command, InvalidArgumentError, Option } from 'commander';
import { loadClusterImages, loadMirror, type MirroredImage } from '../app/index.ts';
import { UsageError } from '../base/index.ts';
import { type ClusterOptions, connectTo, contextOption, kubeconfigOption } from './cluster-options.ts';
import { type CliContext, exitCodes } from './context.ts';
import { addMessageOptions, type LogOptions, messageLoggerOf } from './log-options.ts';
import { noDisplay, renderBytes, terminalDisplay } from './mirror-progress.ts';
import { renderColumns, renderValue } from './output.ts';

interface MirrorCommandOptions extends ClusterOptions, LogOptions {
  readonly to?: string;
  readonly file?: string;
  readonly cluster?: boolean;
  readonly allImages?: boolean;
  readonly namespace?: readonly string[];
  readonly mapping: 'path' | 'flat' | 'basename';
  readonly platform?: readonly string[];
  readonly all?: boolean;
  readonly referrers: boolean;
  readonly dryRun?: boolean;
  readonly insecure?: boolean;
  readonly insecureRegistry?: readonly string[];
  readonly caFile?: string;
  readonly jobs: number;
  readonly output: 'table' | 'wide' | 'json' | 'yaml';
}

export function defineMirror(program: Command, context: CliContext, setExitCode: (code: number) => void): void {
  const command = program
    .command('mirror')
    .summary('copy images to another registry')
    .description(
      'Copies images with all their platforms, signatures and SBOMs. What the target has is not sent again, a connection\n' +
        'that breaks is resumed, and every byte is verified. Credentials come from the docker configuration; for the\n' +
        'target also from BACKUP_REGISTRY_USERNAME and BACKUP_REGISTRY_PASSWORD.',
    )
    .argument('[images...]', 'images, as written in a pod')
    .option('--to <registry>', 'where copies go, with a path if wanted (default: BACKUP_REGISTRY)')
    .option('-f, --file <file>', 'images from a file, one a line; "-" is standard input')
    .option('--cluster', 'all images of the workloads of a cluster, as their authors wrote them')
    .option('--all-images', 'the same as --cluster')
    .option('--namespace <name...>', 'with --cluster: only these namespaces')
    .addOption(kubeconfigOption('with --cluster: '))
    .addOption(contextOption('with --cluster: '))
    .addOption(
      new Option('--mapping <name>', 'how copies are named: by registry and path, in one word, or by the last word')
        .choices(['path', 'flat', 'basename'])
        .default('path'),
    )
    .option('--platform <platform...>', 'only these platforms, as linux/amd64; for images named by tag')
    .addOption(new Option('--all', 'all platforms (the default)').conflicts('platform'))
    .option('--no-referrers', 'leave out signatures, SBOMs and attestations')
    .option('--dry-run', 'say what would be copied, and copy nothing')
    .option('--insecure', 'take any certificate of the target, or plain HTTP')
    .option('--insecure-registry <registry...>', 'the same for these registries')
    .option('--ca-file <file>', 'trust these authorities too (PEM)')
    .option('--jobs <n>', 'images at once', parseJobs, 2)
    .addOption(
      new Option('-o, --output <format>', 'how the result is printed')
        .choices(['table', 'wide', 'json', 'yaml'])
        .default('table'),
    )
    .addHelpText(
      'after',
      `
Examples:
  supercargo mirror nginx:1.27 --to registry.example/mirror
  supercargo mirror -f images.txt --to docker.io/backup --mapping flat --dry-run
  supercargo mirror --cluster --to registry.example/mirror --dry-run
  supercargo mirror quay.io/prometheus/prometheus:v3.1.0 --to localhost:5000 --platform linux/amd64 linux/arm64
`,
    )
    .action(async (images: readonly string[], options: MirrorCommandOptions) =>
      setExitCode(await mirror(images, options, context)),
    );
  addMessageOptions(command);
}

async function mirror(images: readonly string[], options: MirrorCommandOptions, context: CliContext): Promise<number> {
  const { mirrorImages, readImageList } = await loadMirror();
  const to = options.to ?? context.env['BACKUP_REGISTRY'];
  if (to === undefined || to === '')
    throw new UsageError('mirror-no-target', 'say where copies go: --to REGISTRY, or set BACKUP_REGISTRY');
  const listed = options.file === undefined ? [] : readImageList(options.file);
  const { stderr } = context;
  const found = options.cluster || options.allImages ? await imagesOfCluster(to, options, context) : [];
  const display = stderr.isTTY ? await terminalDisplay(stderr as unknown as NodeJS.WritableStream) : noDisplay;
  let results: readonly MirroredImage[];
  try {
    results = await mirrorImages({
      images: [...images, ...listed, ...found],
      to,
      mapping: options.mapping,
      platforms: options.platform ?? [],
      referrers: options.referrers,
      dryRun: options.dryRun === true,
      insecureTarget: options.insecure === true,
      insecureRegistries: options.insecureRegistry ?? [],
      caFile: options.caFile,
      env: context.env,
      imagesAtOnce: options.jobs,
      signal: context.signal,
      log: messageLoggerOf(options, context),
      onEvent: (image, event) => display.event(image, event),
    });
  } catch (thrown) {
    if (!context.signal.aborted) throw thrown;
    display.stop();
    stderr.write('supercargo: stopped; what was copied stays, and the next run goes on from there\n');
    return exitCodes.failed;
  } finally {
    display.stop();
  }
  print(results, options, context);
  return results.some(({ state }) => state === 'failed') ? exitCodes.failed : exitCodes.ok;
}

async function imagesOfCluster(
  to: string,
  options: MirrorCommandOptions,
  context: CliContext,
): Promise<readonly string[]> {
  const { signal, stderr } = context;
  const { findClusterImages } = await loadClusterImages();
  const connection = await connectTo(options, context, messageLoggerOf(options, context));
  try {
    const { images, passedOver } = await findClusterImages({
      client: connection.client,
      to,
      namespaces: options.namespace,
      signal,
    });
    for (const { image, reason } of passedOver) stderr.write(`supercargo: ${image} is passed over: ${reason}\n`);
    return images;
  } finally {
    await connection.client.close();
  }
}

function print(
  results: readonly MirroredImage[],
  { output }: MirrorCommandOptions,
  { stdout, stderr }: CliContext,
): void {
  if (output === 'json' || output === 'yaml') return void stdout.write(renderValue({ images: results }, output));
  const rows = results.map(({ source, copy, state, digest, copiedBytes }) => [
    source,
    copy,
    digest === undefined ? '-' : output === 'wide' ? digest : digest.slice(0, 19),
    state,
    copiedBytes === undefined ? '-' : renderBytes(copiedBytes),
  ]);
  stdout.write(renderColumns(['SOURCE', 'COPY', 'DIGEST', 'STATE', 'SENT'], rows));
  for (const { source, error } of results) if (error) stderr.write(`supercargo: ${source}: ${error.message}\n`);
}

function parseJobs(text: string): number {
  const jobs = Number(text);
  if (!Number.isInteger(jobs) || jobs < 1 || jobs > 32) throw new InvalidArgumentError('a whole number from 1 to 32');
  return jobs;
}
