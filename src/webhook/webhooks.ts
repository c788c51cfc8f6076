import type { Registry } from 'prom-client';
import type { Clock, Logger } from '../base/index.ts';
import { type ControllerMetrics, type Runnable, startOrder } from '../controller/index.ts';
import type { EventRecorder, InformerFactory, KubeClient } from '../kube/index.ts';
import type { LabelSelector } from '../object/index.ts';
import { createCertificateKeeper } from './certificate-keeper.ts';
import { type CertificatePolicy, defaultCertificatePolicy } from './certificates.ts';
import type { WebhookAddress } from './configuration.ts';
import { createWebhookMetrics } from './metrics.ts';
import { createProbeReviewer } from './probe.ts';
import { createReachability } from './reachability.ts';
import { createRegistrar } from './registrar.ts';
import type { Registration, Reviewer } from './reviewer.ts';
import { createWebhookServer, type WebhookServerOptions } from './server.ts';

export interface WebhooksOptions {
  readonly client: KubeClient;
  readonly informers: InformerFactory;
  readonly installation: string;
  readonly namespace: string;
  readonly server: Pick<WebhookServerOptions, 'host' | 'port'> &
    Partial<
      Pick<
        WebhookServerOptions,
        | 'maxBodyBytes'
        | 'shutdownDelayMs'
        | 'headersTimeoutMs'
        | 'requestTimeoutMs'
        | 'maxConnections'
        | 'clientAuthentication'
      >
    >;
  /** How the API server reaches the webhook; a function, because the port is known only when the server listens. */
  readonly address: (port: number) => WebhookAddress;
  readonly certificate:
    | ({
        readonly hosts: readonly string[];
        /** The name of the Secret; the default is `<installation>-webhook`. */
        readonly ownSecret?: string;
      } & Partial<Omit<CertificatePolicy, 'hosts' | 'commonName'>>)
    /** A Secret in our namespace that cert-manager manages. */
    | { readonly secretName: string };
  readonly exemptNamespaces: readonly string[];
  readonly namespaceSelector?: LabelSelector | undefined;
  readonly objectSelector?: LabelSelector | undefined;
  readonly removeOnStop: boolean;
  readonly events: Pick<EventRecorder, 'record'>;
  /** The leader election group of the registrar. */
  readonly leadershipGroup: string;
  readonly metrics: Registry;
  readonly controllerMetrics: Pick<ControllerMetrics, 'forController'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** One HTTPS server and its registrations, for all features that review requests. */
export interface Webhooks {
  /** Must be called before `runnables`. */
  add(part: { readonly reviewer: Reviewer; readonly registration?: Registration }): void;
  /** Empty when there are no reviewers. */
  runnables(): readonly Runnable[];
  /** True once this replica, as the leader, has brought every configuration up to date. */
  readonly isRegistered: boolean;
}

export function createWebhooks(options: WebhooksOptions): Webhooks {
  const parts: { readonly reviewer: Reviewer; readonly registration?: Registration }[] = [];
  let isRegistered = false;
  return {
    add: (part) => void parts.push(part),
    get isRegistered() {
      return isRegistered;
    },
    runnables() {
      if (parts.length === 0) return [];
      return createRunnables(options, parts, () => {
        isRegistered = true;
      });
    },
  };
}

function createRunnables(
  options: WebhooksOptions,
  parts: readonly { readonly reviewer: Reviewer; readonly registration?: Registration }[],
  onAllRegistered: () => void,
): readonly Runnable[] {
  const { client, informers, installation, namespace, certificate, clock } = options;
  const log = options.log.child({ part: 'webhook' });
  const listeners = new Set<() => void>();
  const notify = () => {
    for (const listener of [...listeners]) listener();
  };
  const metrics = createWebhookMetrics(options.metrics);
  const server = createWebhookServer({
    ...options.server,
    reviewers: [createProbeReviewer(), ...parts.map(({ reviewer }) => reviewer)],
    metrics,
    clock,
    log,
  });
  const keeper = createCertificateKeeper({
    client,
    installation,
    secret: {
      namespace,
      name: 'secretName' in certificate ? certificate.secretName : (certificate.ownSecret ?? `${installation}-webhook`),
    },
    policy:
      'secretName' in certificate
        ? undefined
        : { commonName: `${installation}-webhook`, ...defaultCertificatePolicy, ...certificate },
    clock,
    log,
    onServing: (serving) => server.use(serving),
    onBundle: notify,
  });
  const settings = {
    options: () =>
      server.port === undefined || keeper.bundle === undefined
        ? undefined
        : {
            address: options.address(server.port),
            bundle: keeper.bundle,
            exemptNamespaces: options.exemptNamespaces,
            namespaceSelector: options.namespaceSelector,
            objectSelector: options.objectSelector,
            installedIn: options.removeOnStop ? undefined : namespace,
          },
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const { leadershipGroup: group, events } = options;
  const registrar = createRegistrar({
    client,
    informers,
    installation,
    registrations: parts.flatMap(({ registration }) => (registration ? [registration] : [])),
    ...settings,
    reachability: createReachability({
      client,
      installation,
      namespace,
      group,
      ...settings,
      metrics,
      events,
      clock,
      log,
    }),
    removeOnStop: options.removeOnStop,
    onAllRegistered: onAllRegistered,
    metrics: options.controllerMetrics,
    clock,
    log,
  });
  return [
    { name: 'webhook-certificate', order: startOrder.sources, run: (signal) => keeper.run(signal) },
    {
      name: 'webhook-server',
      order: startOrder.servers,
      run: (signal) => server.run(signal),
      ready: () => {
        if (!server.isServing) return 'no certificate yet';
        for (const { reviewer } of parts) {
          const ready = reviewer.ready?.() ?? true;
          if (ready !== true) return ready === false ? `${reviewer.path} is not ready` : ready;
        }
        return true;
      },
    },
    {
      name: 'webhook-registrar',
      order: startOrder.controllers,
      needsLeadership: options.leadershipGroup,
      run: (signal) => registrar.run(signal),
    },
  ];
}
