import { customResourceDefinitions } from '../../../src/api/index.ts';
import { createClusterProgram } from '../../../src/app/cluster.ts';
import { loadConfig } from '../../../src/app/config-load.ts';
import { type Connection, connect } from '../../../src/app/connect.ts';
import { type Fields, type Logger, parseYamlDocuments, silentLogger } from '../../../src/base/index.ts';
import { isKubeError, type ResourceType } from '../../../src/kube/index.ts';
import { gvkOf, type KubeObject } from '../../../src/object/index.ts';
import type { Cluster } from '../../support/real-cluster.ts';
import { eventually } from '../../support/wait.ts';

const systemNamespace = 'supercargo-system';
let fixtures = 0;

export interface Program {
  readonly lines: readonly string[];
  stop(): Promise<void>;
}

/** One installation with the feature generate on a cluster, with the operations of a scenario. */
export class GenerateFixture {
  readonly installation = `scenario-${++fixtures}-${process.pid}`;
  private readonly created: KubeObject[] = [];
  private program: Program | undefined;

  private constructor(
    readonly connection: Connection,
    private readonly kubeconfig: string,
  ) {}

  /** The CRDs are created once per cluster; the installation is new. */
  static async open(cluster: Cluster): Promise<GenerateFixture> {
    const connection = await connect({ env: {}, kubeconfig: cluster.kubeconfigPath, log: silentLogger });
    const fixture = new GenerateFixture(connection, cluster.kubeconfigPath);
    const crds = customResourceDefinitions('supercargo').filter(({ metadata }) =>
      metadata.name?.endsWith('.kyverno.io'),
    );
    for (const crd of crds) await fixture.put(crd);
    await fixture.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: systemNamespace } });
    await eventually(async () => {
      connection.discovery.invalidate();
      for (const { spec } of crds) {
        const { group, names } = spec as { readonly group: string; readonly names: { readonly kind: string } };
        if (!(await connection.discovery.byKind(`${group}/${names.kind}`))) throw new Error(`no ${names.kind} yet`);
      }
    });
    return fixture;
  }

  async close(): Promise<void> {
    await this.stop();
    for (const object of this.created.reverse()) await this.remove(object);
    await this.connection.client.close();
  }

  async start(
    kubeconfig = this.kubeconfig,
    features: readonly string[] = ['generate'],
    { trustReviews = true }: { readonly trustReviews?: boolean } = {},
  ): Promise<Program> {
    const connection = await connect({ env: {}, kubeconfig, log: silentLogger });
    const lines: string[] = [];
    const log = listeningLog(lines);
    const config = {
      ...loadConfig(undefined, { flags: { features } }).config,
      installation: this.installation,
      namespace: systemNamespace,
      server: { host: '127.0.0.1', port: 0 },
    };
    const webhook = { ...config.webhook, port: 0, exposure: 'loopback' as const, removeOnStop: true };
    const sole = {
      ...config,
      policies: { selector: {}, exceptionNamespaces: ['*'] },
      generate: { trustReviews },
      webhook,
      leaderElection: { ...config.leaderElection, enabled: false },
    };
    const stop = new AbortController();
    const manager = await createClusterProgram({ config: sole, connection, env: {}, log });
    const running = manager.run(stop.signal);
    const program: Program = {
      lines,
      stop: async () => {
        stop.abort();
        await running;
        await connection.client.close();
      },
    };
    this.program = program;
    await Promise.race([
      running.then(() => Promise.reject(new Error('the program has ended'))),
      eventually(() => {
        if (!lines.includes('generation started')) throw new Error(`it has not started:\n${lines.join('\n')}`);
      }),
    ]);
    return program;
  }

  async stop(): Promise<void> {
    const { program } = this;
    this.program = undefined;
    await program?.stop();
  }

  async typeOf(object: Pick<KubeObject, 'apiVersion' | 'kind'>): Promise<ResourceType> {
    const type = await this.connection.discovery.byKind(gvkOf(object));
    if (!type) throw new Error(`no kind ${object.apiVersion} ${object.kind}`);
    return type;
  }

  /** Creates the object and deletes it after the scenario; an existing object stays. */
  async put(object: KubeObject): Promise<KubeObject> {
    try {
      const made = await this.connection.client.create<KubeObject>(await this.typeOf(object), object);
      const isShared = object.kind === 'CustomResourceDefinition' || object.metadata.name === systemNamespace;
      if (!isShared) this.created.push(made);
      return made;
    } catch (thrown) {
      if (!isKubeError(thrown, 'kube-already-exists')) throw thrown;
      return object;
    }
  }

  async yaml(text: string): Promise<readonly KubeObject[]> {
    const made: KubeObject[] = [];
    for (const { value } of parseYamlDocuments(text))
      if (value) made.push(await this.put(value as unknown as KubeObject));
    return made;
  }

  async remove({ apiVersion, kind, metadata }: KubeObject): Promise<void> {
    const { name = '', namespace } = metadata;
    try {
      const options = { propagationPolicy: 'Background', gracePeriodSeconds: 0 } as const;
      await this.connection.client.delete(await this.typeOf({ apiVersion, kind }), { name, namespace }, options);
    } catch (thrown) {
      if (!isKubeError(thrown, 'kube-not-found')) throw thrown;
    }
  }

  async get(apiVersion: string, kind: string, name: string, namespace?: string): Promise<KubeObject | undefined> {
    try {
      return await this.connection.client.get<KubeObject>(await this.typeOf({ apiVersion, kind }), { name, namespace });
    } catch (thrown) {
      if (isKubeError(thrown, 'kube-not-found')) return undefined;
      throw thrown;
    }
  }

  async list(apiVersion: string, kind: string, namespace?: string): Promise<readonly KubeObject[]> {
    return (await this.connection.client.list<KubeObject>(await this.typeOf({ apiVersion, kind }), { namespace }))
      .items;
  }

  /** A namespace for this scenario only. */
  async namespace(prefix: string, labels: Readonly<Record<string, string>> = {}): Promise<string> {
    const { metadata } = await this.put({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { generateName: `${prefix}-`, labels },
    });
    const account = {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'default', namespace: metadata.name! },
    };
    await this.connection.client.create(await this.typeOf(account), account).catch((thrown) => {
      if (!isKubeError(thrown, 'kube-already-exists')) throw thrown;
    });
    return metadata.name!;
  }

  pod(namespace: string, name: string, image: string, more: Partial<KubeObject['metadata']> = {}): Promise<KubeObject> {
    return this.put({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace, ...more },
      spec: { containers: [{ name: 'app', image }] },
    });
  }

  async jobs(namespace: string): Promise<readonly string[]> {
    return (await this.list('batch/v1', 'Job', namespace)).map(({ metadata }) => metadata.name ?? '').sort();
  }

  async checkpoint(): Promise<Readonly<Record<string, unknown>>> {
    const stored = await this.get('v1', 'ConfigMap', `${this.installation}-generate`, systemNamespace);
    const { checkpoint = '{}' } = (stored?.['data'] ?? {}) as Record<string, string>;
    return JSON.parse(checkpoint) as Readonly<Record<string, unknown>>;
  }
}

function listeningLog(lines: string[]): Logger {
  const at = (message: string, fields: Fields = {}) => {
    lines.push(message);
    if (process.env['SHOW_LOG']) console.info(message, fields);
  };
  const log: Logger = { debug: () => {}, info: at, warn: at, error: at, child: () => log };
  return log;
}
