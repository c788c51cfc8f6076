/**
 * A scan of 1,000 repositories with 100 tags each in a registry on this machine: time, requests per page of a listing,
 * memory. The registry is a stand-in that answers from memory, so that the scan itself is measured.
 * Run with: npm run bench -- detect
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { compileImagePattern, compileSelection, ociSource, scan } from '../src/detect/index.ts';
import { createRegistryClient } from '../src/registry/index.ts';
import { type Figure, renderFigures } from './support/figures.ts';

const repositories = Array.from({ length: 1000 }, (_, i) => `team-${i % 20}/service-${i}`).sort();
const tags = Array.from({ length: 100 }, (_, i) => `v1.${i}.0`);
const pageSize = 250;
const runs = 5;
const digest = `sha256:${'a'.repeat(64)}`;

const counts = { pages: 0, heads: 0, others: 0 };
const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const json = (body: unknown, headers: Readonly<Record<string, string>> = {}) =>
    response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  if (url.pathname === '/v2/_catalog') {
    counts.pages++;
    const start = repositories.indexOf(url.searchParams.get('last') ?? '') + 1;
    const page = repositories.slice(start, start + pageSize);
    const hasMore = start + pageSize < repositories.length;
    const link = `</v2/_catalog?n=${pageSize}&last=${encodeURIComponent(page.at(-1) ?? '')}>; rel="next"`;
    json({ repositories: page }, hasMore ? { link } : {});
  } else if (url.pathname.endsWith('/tags/list')) {
    counts.pages++;
    json({ name: url.pathname.slice(4, -'/tags/list'.length), tags });
  } else if (request.method === 'HEAD') {
    counts.heads++;
    const type = 'application/vnd.oci.image.manifest.v1+json';
    response.writeHead(200, { 'content-type': type, 'content-length': 500, 'docker-content-digest': digest }).end();
  } else {
    counts.others++;
    json({});
  }
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const registry = `127.0.0.1:${(server.address() as AddressInfo).port}`;

const times: number[] = [];
const perPage: number[] = [];
const others: number[] = [];
for (let run = 0; run < runs; run++) {
  Object.assign(counts, { pages: 0, heads: 0, others: 0 });
  const client = createRegistryClient({ settings: () => ({ isPlainHttp: true }) });
  const started = performance.now();
  const result = await scan({
    source: ociSource(client, registry),
    matcher: compileImagePattern({ repositoryPattern: 'team-*/service-*' }),
    selection: compileSelection({ semver: { range: '>=1.0.0' } }),
    maxRepositories: 1000,
    maxConcurrentScans: 10,
    signal: AbortSignal.timeout(120_000),
  });
  times.push(performance.now() - started);
  await client.close();
  if (result.chosen.length !== 1000 || result.images !== 100_000) throw new Error('the scan did not find everything');
  const pages = repositories.length / pageSize + repositories.length;
  perPage.push(counts.pages / pages);
  others.push(counts.heads - result.chosen.length + counts.others);
}
server.closeAllConnections();
server.close();

const figures: readonly Figure[] = [
  { name: 'requests per page of a listing', unit: '', values: perPage, better: 'less', target: 1 },
  { name: 'other requests, beside one per chosen image', unit: '', values: others, better: 'less' },
  { name: '1,000 repositories × 100 tags', unit: 'ms', values: times, better: 'less' },
  {
    name: 'peak memory, registry included',
    unit: 'MB',
    values: [process.resourceUsage().maxRSS / 1024],
    better: 'less',
  },
];
console.log(renderFigures(figures));
