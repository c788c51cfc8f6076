import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { KubeConnection } from '../../src/kube/index.ts';
import type { KubeObject } from '../../src/object/index.ts';
import { createHttpClient, type WatchEvent } from '../support/http-client.ts';
import type { Cluster } from '../support/real-cluster.ts';
import { eventually } from '../support/wait.ts';
import { bundleScript } from './bundle.ts';
import { configMaps, connectTo, namespaces } from './connection.ts';
import { type Program, startNode } from './program.ts';
import { type Pick, seeded } from './random.ts';

export interface TaskReport {
  readonly kills: number;
  /** Terms of leadership, by different processes. */
  readonly leaders: number;
  /** Steps that were begun, and those that took effect. */
  readonly begun: number;
  readonly effects: number;
  /** Writes by a process that did not hold the lease at that version any more; preconditions made them harmless. */
  readonly staleWrites: number;
}

const tasks = 8;

/** Lets three replicas work off tasks, kills the leader now and then, and checks the events of a watch. */
export async function runTasks(cluster: Cluster, options: { kills: number; seed: number }): Promise<TaskReport> {
  const { kills, seed } = options;
  const pick = seeded(seed);
  const client = await connectTo(cluster);
  const http = createHttpClient(cluster);
  const { metadata } = await client.create<KubeObject>(namespaces, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { generateName: 'tasks-' },
  });
  const namespace = metadata.name!;
  const script = await bundleScript('task-replica.ts');
  const replicas: Program[] = [];
  const start = () =>
    replicas.push(startNode([script.file, cluster.kubeconfigPath, namespace, `replica-${replicas.length}`]));
  const history = await Promise.all([
    http.watch(`/api/v1/namespaces/${namespace}/configmaps?labelSelector=task%3Dtrue`),
    http.watch(`/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`),
  ]);
  const observed: WatchEvent[] = [];
  const reading = history.map(async (stream) => {
    for await (const event of stream) observed.push(event);
  });
  try {
    for (let task = 0; task < tasks; task++) await createTask(client, namespace, `task-${task}`);
    for (let replica = 0; replica < 3; replica++) start();
    for (let kill = 0; kill < kills; kill++) {
      const leader = await leading(replicas);
      await moreWork(client, namespace, pick);
      await sleep(100 + pick(700));
      await leader.end('SIGKILL');
      await moreWork(client, namespace, pick);
      start();
    }
    await leading(replicas);
    await moreWork(client, namespace, pick);
    await eventually(() => allDone(client, namespace), { timeoutMs: 30_000, intervalMs: 50 });
    const last = await client.list(configMaps, { namespace });
    await eventually(() => expect(newest(observed)).toBeGreaterThanOrEqual(newestOf(last.items)));
    return { kills, leaders: replicas.filter(hasLed).length, ...reportOf(observed) };
  } finally {
    await Promise.all(replicas.map((replica) => replica.end('SIGKILL')));
    for (const stream of history) stream.close();
    await Promise.all(reading);
    await http.close();
    await client.close();
    script.remove();
  }
}

const hasLed = ({ output }: Program) => output.includes('leading ');

function leading(replicas: readonly Program[]): Promise<Program> {
  return eventually(
    () => {
      const found = replicas.find((replica) => !replica.hasEnded && hasLed(replica));
      if (!found) throw new Error(`nobody leads:\n${replicas.map(({ output }) => output.slice(-500)).join('\n---\n')}`);
      return found;
    },
    { timeoutMs: 20_000 },
  );
}

async function createTask(client: KubeConnection, namespace: string, name: string): Promise<void> {
  const labels = { task: 'true' };
  const data = { want: '3', done: '0', begun: '', by: '' };
  await client.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name, labels }, data });
}

/** Raises what is wanted by writes without precondition, which replicas must cope with as well. */
async function moreWork(client: KubeConnection, namespace: string, pick: Pick): Promise<void> {
  const { items } = await client.list<KubeObject>(configMaps, { namespace, labelSelector: 'task=true' });
  for (const { metadata, ...task } of items) {
    const want = String(Number((task['data'] as Record<string, string>)['want']) + 2 + pick(4));
    const key = { namespace, name: metadata.name! };
    await client.patch(configMaps, key, { type: 'merge', body: { data: { want } } });
  }
}

async function allDone(client: KubeConnection, namespace: string): Promise<void> {
  const { items } = await client.list<KubeObject>(configMaps, { namespace, labelSelector: 'task=true' });
  const open = items.filter((task) => {
    const { want, done } = task['data'] as Record<string, string>;
    return want !== done;
  });
  if (open.length > 0) throw new Error(`${open.length} tasks are not done`);
}

const newest = (events: readonly WatchEvent[]) => newestOf(events.map(({ object }) => object));
const newestOf = (objects: readonly { readonly metadata: { readonly resourceVersion?: string | undefined } }[]) =>
  Math.max(0, ...objects.map(({ metadata }) => Number(metadata.resourceVersion)));

/** Goes through all versions in order and throws where an effect is not the end of exactly the step that began last. */
function reportOf(observed: readonly WatchEvent[]): Omit<TaskReport, 'kills' | 'leaders'> {
  const ordered = [...observed].sort((a, b) => newestOf([a.object]) - newestOf([b.object]));
  const tasksNow = new Map<string, Readonly<Record<string, string>>>();
  const report = { begun: 0, effects: 0, staleWrites: 0 };
  let holder = '';
  for (const { object } of ordered) {
    if (object.kind === 'Lease') {
      holder = String(object.spec['holderIdentity'] ?? '');
      continue;
    }
    if (object.kind !== 'ConfigMap') continue;
    const { name } = object.metadata;
    const before = tasksNow.get(name);
    const after = object.data;
    tasksNow.set(name, after);
    if (!before) continue;
    const writer = after['begun'] !== before['begun'] ? after['begun'] || before['begun'] : undefined;
    if (writer !== undefined && writer.split('/')[0] !== holder) report.staleWrites++;
    if (after['begun'] !== before['begun'] && after['begun'] !== '') report.begun++;
    if (after['done'] === before['done']) continue;
    report.effects++;
    expect(Number(after['done']), `${name} goes forward by one`).toBe(Number(before['done']) + 1);
    expect(before['begun'], `${name}: the effect ends the step that began last`).toBe(after['by']);
  }
  return report;
}
