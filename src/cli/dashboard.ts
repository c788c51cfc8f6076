import { type Command, InvalidArgumentError } from 'commander';
import { loadLocalDashboard } from '../app/index.ts';
import { type ClusterOptions, connectTo, contextOption, kubeconfigOption } from './cluster-options.ts';
import type { CliContext } from './context.ts';
import { addLogOptions, type LogOptions, loggerOf } from './log-options.ts';

interface DashboardOptions extends ClusterOptions, LogOptions {
  readonly namespace?: string;
  readonly installation: string;
  readonly installationNamespace: string;
  readonly port?: number;
  readonly open: boolean;
}

export function defineDashboard(program: Command, context: CliContext): void {
  const command = program
    .command('dashboard')
    .summary('open the page of images of a cluster')
    .description(
      'Serves the page of every image and its whole life on this machine, read with the identity of the kubeconfig, and\n' +
        'opens the browser if its output is a terminal. It shows what that identity may list; nothing needs to be\n' +
        'installed in the cluster.',
    )
    .option('-n, --namespace <name>', 'only this namespace: for users who may list no other (default: all)')
    .option('--port <port>', 'port on loopback (default: a free one)', parsePort)
    .option('--no-open', 'only print the address')
    .option('--installation <name>', 'the value of the label supercargo.dev/owner', 'supercargo')
    .option('--installation-namespace <name>', 'where the installation runs', 'supercargo')
    .addOption(kubeconfigOption())
    .addOption(contextOption())
    .action((options: DashboardOptions) => dashboard(options, context));
  addLogOptions(command);
}

async function dashboard(options: DashboardOptions, context: CliContext): Promise<void> {
  const { stdout, signal, temporaryDir, env, version } = context;
  const { installation, installationNamespace, namespace, port = 0 } = options;
  const log = loggerOf(options, context, 'warn');
  const { runLocalDashboard, openBrowser } = await loadLocalDashboard();
  const connection = await connectTo(options, context, log);
  let opened: ReturnType<typeof openBrowser> | undefined;
  const onListening = (link: string) => {
    stdout.write(`${link}\n`);
    // A script reads the link; without a terminal there is nobody at a screen.
    if (!options.open || stdout.isTTY !== true) return;
    opened = openBrowser({ link, temporaryDir, env, platform: process.platform });
    const tellFailure = () =>
      context.stderr.write('supercargo: no browser could be started; open the address yourself\n');
    opened.then(({ isOpen }) => isOpen || tellFailure(), tellFailure);
  };
  try {
    await runLocalDashboard(
      {
        connection,
        installation,
        namespace: installationNamespace,
        only: namespace,
        port,
        page: context.dashboardPage,
        version,
        onListening,
        log,
      },
      signal,
    );
  } finally {
    // Before the process ends: the file holds the link.
    await opened?.then(
      ({ remove }) => remove(),
      () => undefined,
    );
    await connection.client.close();
  }
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new InvalidArgumentError('a port is a whole number from 0 to 65535');
  return port;
}
