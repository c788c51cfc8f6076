/**
 * The dashboard with 20,000 images: memory for each of them with the caches of its watches, and the time of its first
 * rows over HTTP, just after a change, so that nothing of an earlier answer is used. Each image has a Deployment, a pod,
 * a copy and a failing result; one in ten has a Job. The answers of the last readers are kept until something changes.
 * Run with: npm run bench -- dashboard
 */

import { mirroredImageName } from '../src/api/index.ts';
import { silentLogger, systemClock } from '../src/base/index.ts';
import { createDashboard } from '../src/dashboard/index.ts';
import { createInformerFactory, type Discovery, type KubeConnection, type ResourceType } from '../src/kube/index.ts';
import type { KubeObject } from '../src/object/index.ts';
import { type Figure, renderFigures } from './support/figures.ts';

const images = 20_000;
const namespaces = 200;
const runs = 5;
const linkToken = 'bench';
const collect = (globalThis as { gc?: () => void }).gc;
if (!collect) throw new Error('run with node --expose-gc: memory cannot be measured without it');

const uid = (i: number) => `8c1f7c1e-4a68-4a0e-9d0a-${String(i).padStart(12, '0')}`;
const imageOf = (i: number) => `registry-${i % 7}.example:5000/team-${i % 50}/service-${i}:v1.${i % 7}.${i % 3}`;
const copyOf = (i: number) => `backup.example/copies/${imageOf(i).replace(':5000', '_5000')}`;
const namespaceOf = (i: number) => `team-${i % namespaces}`;
const digestOf = (i: number) => `sha256:${i.toString(16).padStart(64, '0')}`;
/** No two objects have the same times. */
const timeOf = (i: number, after = 0) =>
  `${new Date(1_767_225_600_000 + i * 61_000 + after).toISOString().slice(0, 19)}Z`;
const metadataOf = (name: string, i: number, more: object = {}) => ({
  name,
  uid: uid(i),
  resourceVersion: String(1_000_000 + i),
  creationTimestamp: timeOf(i),
  ...more,
});

const makers: Readonly<Record<string, readonly [count: number, make: (i: number) => object]>> = {
  deployments: [
    images,
    (i) => ({
      metadata: metadataOf(`service-${i}`, i, { namespace: namespaceOf(i) }),
      spec: { template: { spec: { containers: [{ name: 'app', image: imageOf(i) }] } } },
    }),
  ],
  pods: [
    images,
    (i) => ({
      metadata: metadataOf(`service-${i}-5d4f8c7b9-x2x4x`, i, {
        namespace: namespaceOf(i),
        labels: { 'pod-template-hash': '5d4f8c7b9' },
        ownerReferences: [
          { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `service-${i}-5d4f8c7b9`, uid: uid(i), controller: true },
        ],
      }),
      spec: { nodeName: `node-${i % 300}`, containers: [{ name: 'app', image: imageOf(i) }] },
      status: {
        phase: 'Running',
        containerStatuses: [
          {
            name: 'app',
            imageID: `${imageOf(i).slice(0, imageOf(i).lastIndexOf(':'))}@${digestOf(i)}`,
            state: { running: { startedAt: timeOf(i) } },
          },
        ],
      },
    }),
  ],
  mirroredimages: [
    images,
    (i) => ({
      metadata: metadataOf(mirroredImageName(imageOf(i), copyOf(i)), i),
      spec: { source: imageOf(i), copy: copyOf(i) },
      status: {
        phase: 'Copied',
        digest: digestOf(i),
        sourceDigest: digestOf(i),
        bytesTotal: 50_000_000 + i,
        bytesCopied: 50_000_000 + i,
        copiedAt: timeOf(i, 20_000),
        checkedAt: timeOf(i, 3_600_000),
      },
    }),
  ],
  policyreports: [
    namespaces,
    (n) => ({
      metadata: metadataOf(`report-${n}`, n, { namespace: namespaceOf(n) }),
      results: Array.from({ length: images / namespaces }, (_, k) => ({
        source: 'kyverno',
        policy: 'require-labels',
        rule: 'has-team',
        result: 'fail',
        severity: 'medium',
        message: 'validation error: the label team is required. rule has-team failed at path /metadata/labels/team/',
        timestamp: { seconds: 1_767_225_600, nanos: 0 },
        resources: [
          {
            apiVersion: 'apps/v1',
            kind: 'Deployment',
            namespace: namespaceOf(n),
            name: `service-${k * namespaces + n}`,
          },
        ],
      })),
    }),
  ],
  jobs: [
    images / 10,
    (i) => ({
      metadata: metadataOf(`img-${i}`, i, {
        namespace: namespaceOf(i),
        annotations: {
          'kyverno.io/source-image': imageOf(i),
          'supercargo.dev/origin': JSON.stringify({
            policy: 'unique-job',
            rule: 'make',
            trigger: { apiVersion: 'v1', kind: 'Pod', namespace: namespaceOf(i), name: `p-${i}`, uid: uid(i) },
          }),
        },
      }),
      status: {
        conditions: [{ type: 'Complete', status: 'True', lastTransitionTime: timeOf(i) }],
        completionTime: timeOf(i),
      },
    }),
  ],
};

/** A cluster that lists these objects, and of which one Deployment changes when asked. */
function fakeCluster() {
  let wake: () => void = () => {};
  let changes = 0;
  const pageSize = 500;
  const client = {
    async *pages(type: ResourceType) {
      const [count, make] = makers[type.resource] ?? [0, () => ({})];
      for (let start = 0; start === 0 || start < count; start += pageSize) {
        const items = Array.from({ length: Math.min(pageSize, count - start) }, (_, k) => make(start + k));
        const apiVersion = type.group === '' ? type.version : `${type.group}/${type.version}`;
        // As from the wire: no string is shared with another object.
        const parsed = JSON.parse(JSON.stringify(items)) as object[];
        yield {
          resourceVersion: '5000000',
          items: parsed.map((item) => ({ apiVersion, kind: type.kind, ...item }) as KubeObject),
        };
      }
    },
    async *watch(type: ResourceType, { signal }: { signal: AbortSignal }) {
      while (!signal.aborted) {
        await new Promise<void>((resolve) => {
          if (type.resource === 'deployments') wake = resolve;
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
        if (signal.aborted) return;
        const object = makers['deployments']![1](0) as KubeObject;
        const metadata = { ...object.metadata, resourceVersion: String(6_000_000 + ++changes) };
        yield { type: 'MODIFIED', object: { ...object, apiVersion: 'apps/v1', kind: 'Deployment', metadata } };
      }
    },
  };
  return { client: client as unknown as KubeConnection, change: () => wake() };
}

const { client, change } = fakeCluster();
const informers = createInformerFactory({ client, log: silentLogger });
const end = new AbortController();
collect();
const usedBytes = () => {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
};
async function bytesPerImage(): Promise<number> {
  for (let round = 0; round < 5; round++) {
    await systemClock.sleep(100);
    collect!();
  }
  return (usedBytes() - before) / images;
}
const before = usedBytes();
const port = await new Promise<number>((resolve) => {
  const dashboard = createDashboard({
    host: '127.0.0.1',
    port: 0,
    hosts: undefined,
    tls: undefined,
    linkToken,
    pageFolder: undefined,
    client,
    discovery: { byKind: async () => undefined } as unknown as Discovery,
    explainRule: async () => undefined,
    informers,
    installation: 'supercargo',
    namespace: 'supercargo',
    version: '0',
    kubernetes: 'v1',
    cluster: 'bench',
    features: [],
    configuration: {},
    onListening: resolve,
    clock: systemClock,
    log: silentLogger,
  });
  void informers.run(end.signal);
  void dashboard.run(end.signal);
});
await informers.synced(end.signal);
const perImage = await bytesPerImage();

const origin = `http://127.0.0.1:${port}`;
const headers = { authorization: `Bearer ${linkToken}`, 'accept-encoding': 'gzip' };
async function measure(path: string): Promise<number[]> {
  const times: number[] = [];
  for (let run = 0; run < runs; run++) {
    change();
    await systemClock.sleep(20);
    const started = performance.now();
    const response = await fetch(`${origin}${path}`, { headers });
    await response.json();
    times.push(performance.now() - started);
    if (response.status !== 200) throw new Error(`${path} answers ${response.status}`);
  }
  return times;
}

const figures: Figure[] = [
  { name: 'memory for each image', unit: 'bytes', better: 'less', target: 2_048, values: [perImage] },
  { name: 'first rows', unit: 'ms', better: 'less', target: 300, values: await measure('/api/images') },
  { name: 'first rows by results', unit: 'ms', better: 'less', values: await measure('/api/images?sort=results') },
  { name: 'first rows of a search', unit: 'ms', better: 'less', values: await measure('/api/images?q=service-19') },
  {
    name: 'one image',
    unit: 'ms',
    better: 'less',
    values: await measure(`/api/image?id=${encodeURIComponent(imageOf(7))}`),
  },
  { name: 'overview', unit: 'ms', better: 'less', values: await measure('/api/overview') },
  { name: 'results', unit: 'ms', better: 'less', values: await measure('/api/results') },
];
figures.splice(1, 0, {
  name: 'memory for each image after these answers',
  unit: 'bytes',
  better: 'less',
  values: [await bytesPerImage()],
});
console.log(renderFigures(figures));
end.abort();
