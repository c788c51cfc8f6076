import { join } from 'node:path';
import { type Clock, type Logger, silentLogger, systemClock } from '../base/index.ts';
import { builtinData } from '../schema/index.ts';
import { bootstrapObjects } from './bootstrap.ts';
import { createCore } from './core.ts';
import { OpenApi } from './discovery/openapi.ts';
import type { Authorize } from './http/access.ts';
import { ResourceHandler } from './http/resource-handler.ts';
import { Router } from './http/router.ts';
import { type HttpServer, startHttpServer } from './http/server.ts';
import { bindPod, createSpecialHandler } from './http/special-handlers.ts';
import { type Identity, loadIdentity } from './identity.ts';
import type { InternalClient } from './internal-client.ts';
import { Lifecycle } from './lifecycle/lifecycle.ts';
import type { Core } from './operations/core.ts';
import { createInternalClient } from './operations/internal.ts';
import { builtinDefinitions } from './resources/builtins.ts';
import { Catalog } from './resources/catalog.ts';
import { linkSchemas } from './schema/index.ts';
import { createSimulation, podLogs, type SimulationOptions } from './simulation/index.ts';
import { isStatusError } from './status.ts';
import { openStore } from './store/index.ts';
import { Tokens } from './tokens.ts';

export interface ApiServerOptions {
  /** Directory of state, CA and token. Without it, everything ends with the process. */
  readonly dir?: string | undefined;
  readonly host?: string;
  /** Default 0: a free port. */
  readonly port?: number;
  readonly clock?: Clock;
  readonly log?: Logger;
  /** Asked before every request of a user with a token; by default everything is allowed. */
  readonly authorize?: Authorize;
  /** Simulated controllers and nodes; `false` disables them. */
  readonly simulation?: Partial<SimulationOptions> | false;
}

interface ApiServer {
  readonly url: string;
  readonly caPem: string;
  readonly token: string;
  /** The Kubernetes version whose API it serves. */
  readonly version: string;
  readonly client: InternalClient;
  /** Drops the history, like etcd's compaction: older watches and pages must start again. */
  compact(): void;
  /** Resolves when garbage collection and namespace clean-up are idle. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts an embedded Kubernetes API server on loopback. */
export async function startApiServer(options: ApiServerOptions = {}): Promise<ApiServer> {
  const { host = '127.0.0.1', log = silentLogger, clock = systemClock, dir } = options;
  const schemas = linkSchemas(builtinData);
  const catalog = new Catalog(builtinDefinitions(schemas));
  let lifecycle: Lifecycle | undefined;
  const { store, close: closeStore } = openStore({
    dir: dir && join(dir, 'state'),
    log,
    observe: (storage, change) => {
      const definition = catalog.findStored(storage);
      if (definition) lifecycle?.observe(definition, change);
    },
  });
  const { core, close: closeCore } = createCore({ store, catalog, schemas, clock, log });
  const client = createInternalClient(core, 'kube-controller-manager');
  lifecycle = new Lifecycle(core, client);
  lifecycle.start();
  const hosts = [host, 'localhost', '127.0.0.1', '::1', 'kubernetes.default.svc'];
  const identity = loadIdentity(dir && join(dir, 'pki'), hosts, clock.now());
  await bootstrap(client, identity);
  const http = await serve(core, identity, { authorize: () => true, port: 0, host, ...options });
  const stopping = new AbortController();
  const simulation =
    options.simulation === false ? undefined : simulate(core, client, identity, options.simulation, stopping.signal);
  return {
    url: `https://${host}:${http.port}`,
    caPem: identity.authority.certPem,
    token: identity.token,
    version: schemas.version,
    client,
    compact: () => store.sealHistory(),
    settle: () => lifecycle.settle(),
    async stop() {
      stopping.abort();
      await simulation;
      await http.stop();
      await lifecycle.settle();
      await closeCore();
      closeStore();
    },
  };
}

async function bootstrap(client: InternalClient, identity: Identity): Promise<void> {
  for (const { type, object } of bootstrapObjects(identity)) {
    if (client.get(type, object.metadata.namespace ?? '', object.metadata.name!)) continue;
    try {
      await client.create(type, object);
    } catch (thrown) {
      if (!isStatusError(thrown, 409)) throw thrown;
    }
  }
}

type ServeOptions = Required<Pick<ApiServerOptions, 'host' | 'port' | 'authorize'>>;

function serve(core: Core, identity: Identity, { host, port, authorize }: ServeOptions): Promise<HttpServer> {
  const { catalog, log } = core;
  const tokens = new Tokens(identity.token);
  const special = createSpecialHandler({
    core,
    authenticate: (token) => tokens.find(token),
    podLogs,
    issueToken: (namespace, account) => tokens.issue(namespace, account),
  });
  const router = new Router({
    catalog,
    openApi: new OpenApi(catalog, builtinData),
    resources: new ResourceHandler(core, special, authorize),
    authorize,
    version: builtinData.version,
    host,
  });
  return startHttpServer({
    certificate: identity.certificate,
    host,
    port,
    authenticate: (token) => tokens.find(token),
    router,
    log,
  });
}

function simulate(
  core: Core,
  client: InternalClient,
  identity: Identity,
  options: Partial<SimulationOptions> | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { clock, log } = core;
  const given = {
    rootCa: identity.authority.certPem,
    bindPod: async (namespace: string, name: string, node: string) => bindPod(core, namespace, name, node),
    ...options,
  };
  return createSimulation(client, { clock, log, options: given }).run(signal);
}
