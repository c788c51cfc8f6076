/**
 * Run as a process of its own and killed by its parent: a replica that, while it leads, works off the tasks of one
 * namespace. A task is a ConfigMap whose `done` shall reach its `want`; each step is two preconditioned writes, `begun`
 * and then `done`, so that two reconciles of one task that overlap would show in its history.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import {
  createController,
  createLeaderElection,
  createManager,
  informerRunnable,
  informerSource,
  startOrder,
} from '../../src/controller/index.ts';
import { createInformer } from '../../src/kube/index.ts';
import type { KubeObject } from '../../src/object/index.ts';
import { unreadMetrics } from '../support/controller-metrics.ts';
import { configMaps, connectTo } from './connection.ts';

const [kubeconfigPath, namespace, identity] = process.argv.slice(2) as [string, string, string];
const client = await connectTo({ kubeconfigPath });
const informer = createInformer<KubeObject>({ client, type: configMaps, namespace, labelSelector: 'task=true' });
let attempts = 0;

const controller = createController({
  metrics: unreadMetrics(),
  name: 'tasks',
  sources: [informerSource(informer)],
  concurrency: 4,
  backoff: { baseMs: 5, maxMs: 100 },
  async reconcile(key, signal) {
    const task = await client.get<KubeObject>(configMaps, { namespace, name: key.split('/')[1]! }, { signal });
    const data = task['data'] as Record<string, string>;
    if (Number(data['done']) >= Number(data['want'])) return;
    const by = `${identity}/${++attempts}`;
    const begun = await client.replace<KubeObject>(configMaps, { ...task, data: { ...data, begun: by } }, { signal });
    await sleep(10);
    const done = String(Number(data['done']) + 1);
    await client.replace(configMaps, { ...begun, data: { ...data, begun: '', done, by } }, { signal });
  },
});

const leadership = createLeaderElection({
  client,
  identity,
  group: 'tasks',
  lease: { namespace, name: 'tasks' },
  leaseDurationMs: 2_000,
  renewDeadlineMs: 1_300,
  retryPeriodMs: 250,
  onStartedLeading: () => console.log(`leading ${identity}`),
});
await createManager({
  leadership: [leadership],
  runnables: [
    informerRunnable('informer', informer),
    {
      name: 'controller',
      order: startOrder.controllers,
      needsLeadership: 'tasks',
      run: (signal) => controller.run(signal),
    },
  ],
}).run(new AbortController().signal);
