/**
 * The image index with 100,000 workloads: time of a look-up, memory per image, time to fill and to change.
 * Run with: npm run bench -- index
 */
import { parseReference } from '../src/image/index.ts';
import { ImageIndex } from '../src/inventory/index.ts';
import { type Figure, renderFigures } from './support/figures.ts';

const workloads = 100_000;
const repositories = 20_000;
const runs = 5;
const collect = (globalThis as { gc?: () => void }).gc;
if (!collect) throw new Error('run with node --expose-gc: memory cannot be measured without it');

const imageOf = (i: number) => `registry.example:5000/team-${i % 50}/service-${i % repositories}:v1.${i % 7}.${i % 3}`;
const userOf = (i: number) => ({ kind: 'Deployment', namespace: `ns-${i % 200}`, name: `workload-${i}` });
const imagesFor = (i: number) =>
  [imageOf(i), 'envoyproxy/envoy:v1.30'].map((image, c) => ({ container: `c${c}`, image, source: image }));

/** Every workload runs two images: this is the price of one of them, names of its user included. */
function measureMemory(): number {
  collect!();
  const before = process.memoryUsage().heapUsed;
  const index = new ImageIndex();
  for (let i = 0; i < workloads; i++) index.put(userOf(i), imagesFor(i));
  collect!();
  const bytes = process.memoryUsage().heapUsed - before;
  return bytes / index.totals.totalResources / 2;
}

// Once, on a fresh heap: what a run before left behind would be counted as saved.
const perImage = [measureMemory()];
const fill: number[] = [];
const lookUp: number[] = [];
const change: number[] = [];
for (let run = 0; run < runs; run++) {
  const index = new ImageIndex();
  let started = performance.now();
  for (let i = 0; i < workloads; i++) index.put(userOf(i), imagesFor(i));
  fill.push(performance.now() - started);

  const wanted = Array.from({ length: 10_000 }, (_, i) => parseReference(imageOf(i * 7)));
  let found = 0;
  started = performance.now();
  for (const reference of wanted) found += index.usesOfRepository(reference).length;
  lookUp.push(((performance.now() - started) * 1000) / wanted.length);
  if (found < wanted.length) throw new Error('the index does not find what was put into it');

  started = performance.now();
  for (let i = 0; i < 10_000; i++) index.put(userOf(i), imagesFor(i + 1));
  change.push(((performance.now() - started) * 1000) / 10_000);
}

const figures: readonly Figure[] = [
  { name: 'look-up by repository', unit: 'µs', values: lookUp, better: 'less', target: 10 },
  { name: 'memory per image of a workload', unit: 'bytes', values: perImage, better: 'less', target: 1024 },
  { name: 'one workload changed', unit: 'µs', values: change, better: 'less' },
  { name: `${workloads.toLocaleString('en')} workloads filled in`, unit: 'ms', values: fill, better: 'less' },
];
console.log(renderFigures(figures));
