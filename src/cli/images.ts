import { type Command, Option } from 'commander';
import { type CargoReader, loadOffline, loadReadCargo } from '../app/index.ts';
import { errorMessage, UsageError } from '../base/index.ts';
import { type ClusterOptions, connectTo, contextOption, kubeconfigOption } from './cluster-options.ts';
import { type CliContext, exitCodes, hasColours, messagesOf } from './context.ts';
import { renderImage, renderImages, renderObjectTree, renderStatus } from './images-text.ts';
import { addLogOptions, type LogOptions, loggerOf } from './log-options.ts';
import { renderValue } from './output.ts';

interface CargoOptions extends ClusterOptions, LogOptions {
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
  readonly installation: string;
  readonly output: 'table' | 'wide' | 'json' | 'yaml';
}

interface ImagesOptions extends CargoOptions {
  readonly filter?: string;
}

/** What the page shows, in the terminal: images, one image, what needs attention, and what belongs together. */
export function defineImages(program: Command, context: CliContext, setExitCode: (code: number) => void): void {
  const images = program
    .command('images')
    .summary('list the images of a cluster, with their copies, Jobs and results')
    .description('Lists images by source: a workload that runs a copy runs the source. Read with your own rights.')
    .option('--filter <query>', 'a filter of the API, for example "copy=failed&registry=ghcr.io" (docs/dashboard.md)')
    .addOption(
      new Option('-o, --output <format>', 'what is printed')
        .choices(['table', 'wide', 'json', 'yaml'])
        .default('table'),
    )
    .action((options: ImagesOptions) =>
      show(options, context, (cargo, namespace) => {
        const parameters = new URLSearchParams(options.filter ?? '');
        if (namespace !== undefined) parameters.set('ns', namespace);
        const { items } = imagesOf(cargo, parameters);
        const value = asValue(options, items);
        if (value !== undefined) return value;
        if (items.length > 0) return renderImages(items, options.output === 'wide');
        const what = options.filter === undefined ? 'No images found' : 'No images match the filter';
        context.stderr.write(`${what}${namespace === undefined ? '' : ` in namespace ${namespace}`}.\n`);
        return '';
      }),
    );
  const image = program
    .command('image')
    .argument('<reference>', 'the image, for example nginx:1.25')
    .summary('show the whole life of one image')
    .description('Shows where an image runs, its copy, its Jobs, what was committed and what policies say of it.')
    .addOption(
      new Option('-o, --output <format>', 'what is printed').choices(['table', 'json', 'yaml']).default('table'),
    )
    .action((reference: string, options: CargoOptions) =>
      show({ allNamespaces: options.namespace === undefined, ...options }, context, (cargo) => {
        const found = cargo.image(reference);
        if (!found)
          throw new UsageError('image-unknown', `nothing in this cluster runs, copies or detects ${reference}`);
        return asValue(options, found) ?? renderImage(found);
      }),
    );
  const status = program
    .command('status')
    .summary('show what needs attention')
    .description(
      'Counts images, copies, results and Jobs, and lists what needs attention. Exits with 1 if something does.',
    )
    .addOption(
      new Option('-o, --output <format>', 'what is printed')
        .choices(['table', 'wide', 'json', 'yaml'])
        .default('table'),
    )
    .action((options: CargoOptions) =>
      show({ allNamespaces: options.namespace === undefined, ...options }, context, (cargo) => {
        const overview = cargo.overview();
        if (overview.attention.items.some(({ level }) => level === 'error')) setExitCode(exitCodes.failed);
        return asValue(options, overview) ?? renderStatus(overview, options.output === 'wide');
      }),
    );
  const tree = program
    .command('tree')
    .argument('<kind/name>', 'for example deployment/web or imageresourcepolicy/web')
    .summary('show what belongs to an object')
    .description('Shows the images, copies, Jobs, pods and results of a workload, or the detections of a policy.')
    .addOption(
      new Option('-o, --output <format>', 'what is printed').choices(['table', 'json', 'yaml']).default('table'),
    )
    .action(async (target: string, options: CargoOptions) => {
      const { painter } = await loadOffline();
      const paint = painter(hasColours(context.stdout, context.env));
      await show(options, context, (cargo, namespace) => {
        const [, kind, name] = /^([^/]+)\/([^/]+)$/.exec(target) ?? [];
        if (kind === undefined || name === undefined)
          throw new UsageError('tree-target', `write KIND/NAME, not ${JSON.stringify(target)}`);
        const found = cargo.tree(kind, namespace ?? 'default', name);
        if (!found) throw new UsageError('tree-unknown', `there is no ${target} with images in namespace ${namespace}`);
        return asValue(options, found) ?? renderObjectTree(found, paint);
      });
    });
  for (const command of [images, image, status, tree]) {
    command
      .option('-n, --namespace <name>', 'only this namespace (default: that of the context)')
      .option('--installation <name>', 'the value of the label supercargo.dev/owner', 'supercargo')
      .addOption(kubeconfigOption())
      .addOption(contextOption());
    if (command !== tree) command.option('-A, --all-namespaces', 'all namespaces');
    addLogOptions(command);
  }
}

/** A filter that is misspelt must not list everything. */
function imagesOf(cargo: CargoReader, parameters: URLSearchParams): ReturnType<CargoReader['images']> {
  for (const name of parameters.keys())
    if (!imageFilters.has(name))
      throw new UsageError('images-filter', `there is no filter ${name}; there are ${[...imageFilters].join(', ')}`);
  try {
    return cargo.images(parameters.toString());
  } catch (thrown) {
    throw new UsageError('images-filter', errorMessage(thrown), { cause: thrown });
  }
}

const imageFilters: ReadonlySet<string> = new Set([
  'q',
  'ns',
  'registry',
  'copy',
  'result',
  'running',
  'pull',
  'vuln',
  'repository',
  'sort',
  'order',
]);

type Show = (cargo: CargoReader, namespace: string | undefined) => string;

async function show(options: CargoOptions, context: CliContext, render: Show): Promise<void> {
  const { stdout, signal } = context;
  const log = loggerOf(options, context, 'error');
  const { withCargo } = await loadReadCargo();
  const connection = await connectTo(options, context, log);
  try {
    const namespace = options.allNamespaces ? undefined : (options.namespace ?? connection.client.config.namespace);
    const { installation } = options;
    stdout.write(
      await withCargo({ connection, installation, namespace, log }, signal, (cargo) => {
        for (const { kind, message } of cargo.problems)
          messagesOf(context).warn(`${kind} cannot be read, what is shown is not complete`, { message });
        return render(cargo, namespace);
      }),
    );
  } finally {
    await connection.client.close();
  }
}

const asValue = ({ output }: CargoOptions, value: unknown): string | undefined =>
  output === 'json' || output === 'yaml' ? renderValue(value, output) : undefined;
