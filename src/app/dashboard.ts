import { errorMessage, type Logger, systemClock, whenAborted } from '../base/index.ts';
import { createDashboard, optionalGroups } from '../dashboard/index.ts';
import { createInformerFactory } from '../kube/index.ts';
import type { Config } from './config.ts';
import type { Connection } from './connect.ts';
import { createExplainRule } from './explain-rule.ts';
import { createUnreadableKindsLog } from './unreadable-kinds.ts';

/** How the page of one process is served, as data: it may be sent to a thread. */
export interface DashboardSetup {
  readonly config: Config;
  /** The namespace of the installation. */
  readonly namespace: string;
  /** Only objects of this namespace are read. */
  readonly only?: string | undefined;
  /** With it, whoever has the link sees everything; without it bearer tokens of the cluster decide. */
  readonly linkToken?: string | undefined;
  readonly pageFolder?: string | undefined;
  readonly version: string;
  readonly cluster: string;
}

interface DashboardRun extends DashboardSetup {
  readonly connection: Connection;
  readonly onListening: (port: number) => void;
  readonly log: Logger;
}

/** Hosts of the address on which a link is opened: any other name is of a page that rebinds its DNS. */
const loopbackHosts = ['127.0.0.1', 'localhost', '[::1]'];

/** The page with watches of its own: a kind that is missing or forbidden delays no other feature. */
export async function runDashboard(options: DashboardRun, signal: AbortSignal): Promise<void> {
  const { config, connection, namespace, linkToken, log } = options;
  const { client, discovery } = connection;
  const { host, port, hosts, trustedProxies, tls } = config.dashboard;
  const tellUnreadable = createUnreadableKindsLog(log, systemClock);
  const informers = createInformerFactory({
    client,
    log,
    // Kinds that a cluster need not have.
    onUnreadable: (type, code) => {
      if (code !== 'kube-not-found' || !optionalGroups.has(type.group)) tellUnreadable(type, code);
    },
  });
  // The page can be opened before anything is read; it says so.
  const listening = new AbortController();
  const dashboard = createDashboard({
    host,
    port,
    hosts: linkToken !== undefined ? loopbackHosts : hosts.length > 0 ? hosts : undefined,
    trustedProxies,
    tls,
    linkToken,
    pageFolder: options.pageFolder,
    client,
    discovery,
    explainRule: createExplainRule({
      exceptionNamespaces: config.policies.exceptionNamespaces,
      clock: systemClock,
    }),
    informers,
    installation: config.installation,
    namespace,
    only: options.only,
    version: options.version,
    kubernetes: connection.version,
    cluster: options.cluster,
    features: config.features,
    // Nothing in it is a secret: credentials come from the environment and from Secrets.
    configuration: config,
    onListening(boundPort) {
      options.onListening(boundPort);
      listening.abort();
    },
    clock: systemClock,
    log,
  });
  const stop = new AbortController();
  const end = AbortSignal.any([signal, stop.signal]);
  let failure: unknown;
  const guarded = (work: Promise<void>) =>
    work.catch((thrown: unknown) => {
      failure ??= thrown;
      log.debug('the dashboard stops', { error: errorMessage(thrown) });
      stop.abort();
    });
  const read = whenAborted(AbortSignal.any([listening.signal, end])).then(() => informers.run(end));
  await Promise.all([guarded(dashboard.run(end)), guarded(read)]);
  if (failure !== undefined && !signal.aborted) throw failure;
}
