/**
 * What a real API server takes for a request that it sends to the program for admission, beside what the program takes:
 * how many of them keep one core of the program busy.
 *
 * npm run bench -- admission-cluster [--runs 3] [--pods 3000] [--connections 16] [--program bin/supercargo]
 *
 * Starts kube-apiserver and etcd, which it builds once. Pods are created dry, so that etcd has nothing to write, and for
 * good. CPU time is that of all threads.
 */
import { parseArgs } from 'node:util';
import { startRealCluster } from '../test/support/real-cluster.ts';
import { openAdmissionCluster, usageOf } from './support/admission-program.ts';
import { type Figure, renderFigures } from './support/figures.ts';
import { Load } from './support/load.ts';
import { podReview, podSecurityPolicies } from './support/pod-security.ts';

const { values: options } = parseArgs({
  options: {
    runs: { type: 'string', default: '3' },
    pods: { type: 'string', default: '3000' },
    connections: { type: 'string', default: '16' },
    program: { type: 'string', default: 'bin/supercargo' },
  },
});
const count = Number(options.pods);
const connections = Number(options.connections);
const figures = new Map<string, number[]>();
const note = (name: string, value: number) => figures.set(name, [...(figures.get(name) ?? []), value]);

const cluster = await startRealCluster();
const load = new Load(cluster, connections);
try {
  const admission = await openAdmissionCluster({ ...cluster, kubeconfig: cluster.kubeconfigPath });
  const program = await admission.start(options.program, ['admission']);
  const apiserver = usageOf(cluster.pids.apiserver);
  const etcd = usageOf(cluster.pids.etcd);
  try {
    await measure('warm-up', 'dryRun=All');
    figures.clear();
    for (let run = 0; run < Number(options.runs); run++) {
      await measure('dry', 'dryRun=All');
      await measure('created', `fieldManager=run-${run}`);
    }
  } finally {
    await program.stop();
    await admission.close();
  }

  async function measure(name: string, query: string): Promise<void> {
    const bodies = Array.from({ length: count }, (_, i) => podNamed(`${name}-${i}-${Date.now()}`));
    const before = [program.cpuMs(), apiserver.cpuMs(), etcd.cpuMs()] as const;
    const startMs = performance.now();
    await load.create(`/api/v1/namespaces/default/pods?${query}`, bodies, connections);
    note(`${name}: requests a second`, (count * 1000) / (performance.now() - startMs));
    const [own, api, store] = [program, apiserver, etcd].map(({ cpuMs }, i) => cpuMs() - before[i]!) as [
      number,
      number,
      number,
    ];
    note(`${name}: CPU of the program for a request`, (own * 1000) / count);
    note(`${name}: CPU of the API server for a request`, (api * 1000) / count);
    note(`${name}: CPU of etcd for a request`, (store * 1000) / count);
  }
} finally {
  await load.close();
  await cluster.stop();
}

function podNamed(name: string): string {
  const { metadata, ...pod } = podReview.request.object;
  const { labels, annotations } = metadata;
  // A real API server refuses probes of containers that end.
  const initContainers = pod.spec.initContainers.map((container) => ({ ...container, livenessProbe: undefined }));
  return JSON.stringify({ ...pod, metadata: { name, labels, annotations }, spec: { ...pod.spec, initContainers } });
}

const shown = [...figures].map(
  ([name, values]): Figure => ({
    name,
    values,
    ...(name.endsWith('a second') ? { unit: '/s', better: 'more' } : { unit: 'µs', better: 'less' }),
  }),
);
console.log(
  `pods of ${podNamed('pod').length} bytes, ${podSecurityPolicies.length} rules, ${connections} connections; ` +
    `Node ${process.versions.node}; best of ${options.runs}\n${renderFigures(shown)}`,
);
