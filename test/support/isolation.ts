import { spawnSync } from 'node:child_process';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { connect } from '../../src/app/connect.ts';
import { errorMessage, silentLogger } from '../../src/base/index.ts';
import type { Lease } from '../../src/controller/index.ts';
import type { KubeConnection, ResourceType } from '../../src/kube/index.ts';
import type { KubeObject } from '../../src/object/index.ts';
import { configMaps, leases, namespaces } from '../integration/connection.ts';
import { clusterPolicies } from '../integration/everything-objects.ts';
import { installKinds } from '../integration/run-features.ts';
import { launchRun } from '../integration/run-program.ts';
import { freePorts } from './child.ts';
import { startEmbedded } from './embedded-cluster.ts';
import { eventually } from './wait.ts';

export interface IsolationFigures {
  readonly quietP99Ms: number;
  readonly attackedP99Ms: number;
  /** Of other namespaces, while attacked. */
  readonly failures: readonly string[];
  readonly tenantRequests: number;
  /** Of these, those whose rules used up the budget: the policies are as heavy as they can be. */
  readonly overBudget: number;
  readonly connections: number;
  readonly isLeaseKept: boolean;
}

export interface IsolationOptions {
  /** Creates in each of the two measurements. */
  readonly count: number;
  /** Lets this process, which is client and API server, go before others; for root. */
  readonly first: boolean;
}

/** Where the flood comes from; the API server is 127.0.0.1. */
const localAddress = '127.0.0.2';
const maxConnections = 1_100;
const home = 'supercargo';
const policies: ResourceType = { ...clusterPolicies, resource: 'policies', kind: 'Policy', namespaced: true };

const match = { any: [{ resources: { kinds: ['ConfigMap'] } }] };
const policy = (kind: string, metadata: KubeObject['metadata'], rules: readonly object[]) => ({
  apiVersion: 'kyverno.io/v1',
  kind,
  metadata,
  spec: { validationFailureAction: 'Enforce', background: false, rules },
});
const required = policy('ClusterPolicy', { name: 'has-data' }, [
  { name: 'has-data', match, validate: { message: 'data is missing', pattern: { data: { a: '?*' } } } },
]);

/** Loops in loops, long texts and expressions over the whole list: what costs a rule most. */
const heavyRules = [
  {
    validate: {
      message: 'm',
      foreach: [
        {
          list: 'parse_json(request.object.data.list)',
          foreach: [
            {
              list: 'parse_json(request.object.data.list)',
              deny: { conditions: { any: [{ key: '{{ element }}', operator: 'Equals', value: 'never' }] } },
            },
          ],
        },
      ],
    },
  },
  {
    validate: {
      message: 'm',
      deny: {
        conditions: {
          any: [
            {
              key: "{{ parse_json(request.object.data.list)[].join(',', [to_string(@), to_string(@)]) | sort(@) | length(@) }}",
              operator: 'Equals',
              value: -1,
            },
          ],
        },
      },
    },
  },
];
const worst = (i: number) =>
  policy(
    'Policy',
    { name: `heavy-${i}`, namespace: 'mallory' },
    Array.from({ length: 10 }, (_, n) => ({ name: `r${n}`, match, ...heavyRules[n % heavyRules.length] })),
  );

/** Admissions of others, first quiet, then under the worst policies of a tenant and a flood of connections. */
export async function measureIsolation({ count, first }: IsolationOptions): Promise<IsolationFigures> {
  const [port] = (await freePorts(1)) as [number];
  const cluster = await startEmbedded({ simulation: false });
  const { client, discovery, ...rest } = await connect({
    env: {},
    kubeconfig: cluster.kubeconfigPath,
    log: silentLogger,
  });
  await installKinds({ client, discovery, ...rest });
  for (const name of [home, 'shop', 'mallory'])
    await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  await client.create(clusterPolicies, required);
  for (let i = 0; i < 10; i++) await client.create(policies, worst(i));
  const program = launchRun(cluster, {
    namespace: home,
    features: ['admission'],
    webhook: { port, exposure: 'loopback' },
  });
  const attack = new Attack(client, port);
  try {
    await eventually(() => expectDenied(client));
    if (first) goFirst();
    const lease = async () =>
      (await client.get<Lease>(leases, { namespace: home, name: 'supercargo-admission' })).spec ?? {};
    const before = await lease();
    await creates(client, 'warm', count);
    const quiet = await creates(client, 'quiet', count);
    attack.begin();
    const attacked = await creates(client, 'attacked', count);
    await attack.end();
    const after = await lease();
    return {
      quietP99Ms: p99(quiet.took),
      attackedP99Ms: p99(attacked.took),
      failures: [...quiet.failures, ...attacked.failures],
      tenantRequests: attack.requests,
      overBudget: attack.overBudget,
      connections: attack.opened,
      isLeaseKept:
        before.holderIdentity !== undefined &&
        after.holderIdentity === before.holderIdentity &&
        after.acquireTime === before.acquireTime &&
        !program.stderr().includes('Lease lost'),
    };
  } finally {
    await attack.end();
    await program.stop();
    await client.close();
    await cluster.stop();
  }
}

async function expectDenied(client: KubeConnection): Promise<void> {
  const denied = await client
    .create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'none', namespace: 'shop' } })
    .then(
      async () => {
        await client.delete(configMaps, { name: 'none', namespace: 'shop' });
        return '';
      },
      (thrown: unknown) => errorMessage(thrown),
    );
  if (!denied.includes('data is missing')) throw new Error(`not denied yet: ${denied}`);
}

async function creates(client: KubeConnection, prefix: string, count: number) {
  const took: number[] = [];
  const failures: string[] = [];
  for (let i = 0; i < count; i++) {
    const startedMs = performance.now();
    const metadata = { name: `${prefix}-${i}`, namespace: 'shop' };
    try {
      await client.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: 'b' } });
    } catch (thrown) {
      failures.push(`${metadata.name}: ${errorMessage(thrown)}`);
    }
    took.push(performance.now() - startedMs);
    // An even pace: a slow answer must not thin out what is measured.
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return { took, failures };
}

class Attack {
  requests = 0;
  overBudget = 0;
  opened = 0;
  private isOver = false;
  private readonly sockets = new Set<Socket>();
  private running: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly client: KubeConnection,
    private readonly port: number,
  ) {}

  begin(): void {
    this.running = Promise.all([...Array.from({ length: 4 }, (_, lane) => this.heavy(lane)), this.flood()]);
  }

  async end(): Promise<void> {
    this.isOver = true;
    await this.running;
    for (const socket of this.sockets) socket.destroy();
    this.sockets.clear();
  }

  /** A tenant that creates what its own policies take longest for; whether it is denied does not matter. */
  private async heavy(lane: number): Promise<void> {
    const list = JSON.stringify(Array.from({ length: 3_000 }, (_, i) => i));
    while (!this.isOver) {
      const metadata = { name: `heavy-${lane}-${this.requests++}`, namespace: 'mallory' };
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: 'b', list } };
      await this.client.create(configMaps, object).catch((thrown: unknown) => {
        if (errorMessage(thrown).includes('units of work')) this.overBudget++;
      });
    }
  }

  /** Idle connections, handshakes and half-sent bodies, as many as one machine opens. */
  private async flood(): Promise<void> {
    while (!this.isOver) {
      if (this.sockets.size < maxConnections) this.open(this.opened++);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  private open(n: number): void {
    const options = { host: '127.0.0.1', port: this.port, localAddress };
    const socket: Socket =
      n % 10 === 0 ? connectTls({ ...options, rejectUnauthorized: false } as never) : connectTcp(options);
    this.sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => this.sockets.delete(socket));
    if (n % 10 === 0)
      socket.once('secureConnect', () => {
        socket.write('POST /validate/fail HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n');
        socket.write(`content-length: ${16 << 20}\r\n\r\n`);
        socket.write(Buffer.alloc(1 << 16, 'a'));
      });
  }
}

const p99 = (took: readonly number[]): number => [...took].sort((a, b) => a - b)[Math.floor(took.length * 0.99)]!;

/** The main thread of this process before others, as the benches do it. */
function goFirst(): void {
  const { status, stderr } = spawnSync('chrt', ['-R', '-f', '-p', '1', String(process.pid)], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`priority is not possible here: ${stderr}`);
}
