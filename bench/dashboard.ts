/**
 * The dashboard with 20,000 images: memory for each of them with the caches of its watches, and the time of its first
 * rows, in Chromium and over HTTP: there just after a change, so that nothing of an earlier answer is used. Each image has
 * a Deployment, a pod, a copy and a failing result; one in ten has a Job. The answers of the last readers are kept until
 * something changes or memory is collected.
 * Run with: npm run bench -- dashboard
 */

import { join } from 'node:path';
import { silentLogger, systemClock } from '../src/base/index.ts';
import { createDashboard } from '../src/dashboard/index.ts';
import { createInformerFactory, type Discovery } from '../src/kube/index.ts';
import { type Figure, renderFigures } from './support/figures.ts';
import { createListedCluster } from './support/listed-cluster.ts';
import { pageFigures } from './support/page-figures.ts';
import { shownObjects } from './support/shown-objects.ts';

const images = 20_000;
const namespaces = 200;
const runs = 5;
const linkToken = 'bench';
const collect = (globalThis as { gc?: () => void }).gc;
if (!collect) throw new Error('run with node --expose-gc: memory cannot be measured without it');

const { imageOf, kinds } = shownObjects({ images, namespaces });

const { client, change } = createListedCluster({ kinds });
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
    trustedProxies: [],
    tls: undefined,
    linkToken,
    pageFolder: join('dist', 'ui'),
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
/** By the clock, and the processor time of this process: on a busy machine it says more. */
async function measure(name: string, path: string, target?: number): Promise<Figure[]> {
  const times: number[] = [];
  const cpuTimes: number[] = [];
  for (let run = 0; run < runs; run++) {
    change();
    await systemClock.sleep(20);
    const cpuBefore = process.cpuUsage();
    const started = performance.now();
    const response = await fetch(`${origin}${path}`, { headers });
    await response.json();
    times.push(performance.now() - started);
    const { user, system } = process.cpuUsage(cpuBefore);
    cpuTimes.push((user + system) / 1000);
    if (response.status !== 200) throw new Error(`${path} answers ${response.status}`);
  }
  return [
    { name, unit: 'ms', better: 'less', values: times, ...(target === undefined ? {} : { target }) },
    { name: `${name}: CPU`, unit: 'ms', better: 'less', values: cpuTimes },
  ];
}

const figures: Figure[] = [
  { name: 'memory for each image', unit: 'bytes', better: 'less', target: 2_048, values: [perImage] },
  ...(await measure('first rows', '/api/images', 300)),
  ...(await measure('first rows by results', '/api/images?sort=results')),
  ...(await measure('first rows of a search', '/api/images?q=service-19')),
  ...(await measure('one image', `/api/image?id=${encodeURIComponent(imageOf(7))}`)),
  ...(await measure('overview', '/api/overview')),
  ...(await measure('results', '/api/results')),
];
figures.splice(1, 0, {
  name: 'memory for each image after these answers',
  unit: 'bytes',
  better: 'less',
  values: [await bytesPerImage()],
});
// Last: the client of the browser takes memory of this process.
figures.push(...(await pageFigures({ origin, linkToken, runs })));
console.log(renderFigures(figures));
end.abort();
