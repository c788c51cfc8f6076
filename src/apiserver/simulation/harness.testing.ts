import { createFakeClock, type FakeClock } from '../../../test/support/fake-clock.ts';
import { silentLogger } from '../../base/index.ts';
import type { GroupVersionResource, KubeObject } from '../../object/index.ts';
import { renderTable } from '../table/index.ts';
import * as kinds from './kinds.ts';
import { createMemoryClient, type MemoryClient } from './memory-client.testing.ts';
import type { SimulationOptions } from './options.ts';
import { createSimulation } from './simulation.ts';

export interface SimulationHarness {
  readonly client: MemoryClient;
  readonly clock: FakeClock;
  /** The normal output of `kubectl get` without age, sorted by name. */
  table(type: GroupVersionResource): string;
  /** Advances time in small steps until the condition holds; fails after a minute of it, or `withinMs`. */
  until(condition: () => unknown, withinMs?: number): Promise<void>;
  pass(ms: number): Promise<void>;
  get(type: GroupVersionResource, name: string): Record<string, unknown> & KubeObject & { spec: never; status: never };
  create(type: GroupVersionResource, object: object): Promise<KubeObject>;
  /** Changes an object as a user would, without a version check. */
  edit(type: GroupVersionResource, name: string, change: (object: KubeObject) => object): Promise<void>;
  names(type: GroupVersionResource): string[];
  end(): Promise<void>;
}

const start = Date.parse('2026-03-01T12:00:00Z');

export async function startHarness(options: Partial<SimulationOptions> = {}): Promise<SimulationHarness> {
  const clock = createFakeClock(start);
  const client = createMemoryClient(clock);
  for (const name of ['default', 'kube-node-lease']) {
    await client.create(kinds.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name },
      status: { phase: 'Active' },
    });
  }
  const stop = new AbortController();
  const ended = createSimulation(client, { clock, log: silentLogger, options }).run(stop.signal);
  const harness: SimulationHarness = {
    client,
    clock,
    table: (type) => renderPlainTable(type, client.list(type), clock.now()),
    async until(condition, withinMs = 60_000) {
      const endMs = clock.now() + withinMs;
      while (!condition()) {
        if (clock.now() >= endMs) throw new Error(`still not so after ${withinMs} ms`);
        await clock.advance(10);
      }
    },
    async pass(ms) {
      for (let left = ms; left > 0; left -= 10) await clock.advance(Math.min(10, left));
    },
    get: (type, name) => (client.get(type, 'default', name) ?? client.get(type, '', name)) as never,
    create: (type, object) => {
      const given = object as KubeObject;
      return client.create(type, { ...given, metadata: { namespace: 'default', ...given.metadata } });
    },
    async edit(type, name, change) {
      for (;;) {
        const current = harness.get(type, name);
        try {
          return void (await client.update(type, change(current) as KubeObject));
        } catch {
          await clock.advance(0);
        }
      }
    },
    names: (type) => client.list(type).map((object) => object.metadata.name ?? ''),
    async end() {
      stop.abort();
      await ended;
    },
  };
  await harness.until(() => client.list(kinds.leases).length === (options.nodes ?? 1));
  return harness;
}

function renderPlainTable(type: GroupVersionResource, objects: readonly KubeObject[], now: number): string {
  const sorted = [...objects].sort((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1));
  const { columnDefinitions, rows } = renderTable({
    resource: { ...type, kind: '' },
    objects: sorted,
    now,
    includeObject: 'None',
  });
  const columns = columnDefinitions ?? [];
  const shown = columns.flatMap((column, index) => (column.priority === 0 && column.name !== 'Age' ? [index] : []));
  const line = (cells: readonly unknown[]) => shown.map((index) => String(cells[index])).join('  ');
  return ['', line(columns.map((column) => column.name.toUpperCase())), ...rows.map((row) => line(row.cells)), ''].join(
    '\n',
  );
}

export const container = (image = 'nginx:1') => ({ name: 'app', image });

export function deployment(name: string, spec: object = {}, image = 'nginx:1') {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas: 3,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container(image)] } },
      ...spec,
    },
  };
}

export function job(name: string, spec: object = {}, pod: object = {}, annotations: Record<string, string> = {}) {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name },
    spec: {
      parallelism: 1,
      completions: 1,
      template: {
        metadata: { annotations },
        spec: { restartPolicy: 'Never', containers: [container('busybox')], ...pod },
      },
      ...spec,
    },
  };
}
