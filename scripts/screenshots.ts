// Takes the pictures of README.md and docs from the demo of `supercargo up`, with more workloads than the demo itself has.
// The fonts are those of the machine: the pictures in the repository were taken with Inter and JetBrains Mono.
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { createRegistryClient } from '../src/registry/index.ts';
import { noBrowser, openTab, startBrowser } from '../test/servers/page/browser.ts';
import { launch, runProgram } from '../test/support/program.ts';
import { pushImage } from '../test/support/push-image.ts';

const folder = join(import.meta.dirname, '../docs/pictures');
const maxBytes = 200_000;

interface Workload {
  readonly namespace: string;
  readonly name: string;
  readonly image: string;
  readonly replicas?: number;
  readonly team?: string;
}

/** `our/` stands for the embedded registry; images of it are pushed unless they are missing on purpose. */
const workloads: readonly Workload[] = [
  { namespace: 'shop', name: 'storefront', image: 'our/shop/storefront:2.14.0', replicas: 3, team: 'shop' },
  { namespace: 'shop', name: 'cart', image: 'our/shop/cart:1.8.3', replicas: 2, team: 'shop' },
  { namespace: 'shop', name: 'search', image: 'our/shop/search:0.31.1', replicas: 2 },
  { namespace: 'shop', name: 'recommendations', image: 'our/shop/recommendations:4.0.2' },
  { namespace: 'payments', name: 'checkout', image: 'our/payments/checkout:3.2.0', replicas: 3, team: 'payments' },
  { namespace: 'payments', name: 'ledger', image: 'our/payments/ledger:1.12.5', team: 'payments' },
  { namespace: 'payments', name: 'fraud', image: 'our/payments/fraud:0.9.0-missing' },
  { namespace: 'platform', name: 'gateway', image: 'quay.io/example/gateway:1.31.0', replicas: 2, team: 'platform' },
  { namespace: 'platform', name: 'metrics', image: 'ghcr.io/example/metrics:v2.54.1', team: 'platform' },
  { namespace: 'platform', name: 'cache', image: 'redis:7.4-alpine' },
  { namespace: 'platform', name: 'queue', image: 'docker.io/library/rabbitmq:4.0', replicas: 3, team: 'platform' },
  { namespace: 'data', name: 'etl', image: 'ghcr.io/example/etl:2026.11.2', team: 'data' },
  { namespace: 'data', name: 'warehouse', image: 'docker.io/library/postgres:17.2', team: 'data' },
  { namespace: 'data', name: 'notebook', image: 'quay.io/example/notebook:latest' },
];
const copied = new Set(['shop', 'payments']);

if (noBrowser) throw new Error(`no pictures without a browser: ${noBrowser}`);
const program = launch(['up']);
const browser = await startBrowser();
try {
  const link = await program.until((stdout) => /^http:\/\/127\.0\.0\.1:\d+\/#token=\S+$/m.exec(stdout)?.[0]);
  const kubeconfig = await program.until((stdout) => /export KUBECONFIG=(\S+)/.exec(stdout)?.[1]);
  const registry = await program.until((stdout) => /registry for images is at ([^;\s]+);/.exec(stdout)?.[1]);
  await program.until((stdout) => (stdout.includes('\nTry it:') ? true : undefined), 120_000);
  await pushImages(registry);
  const manifests = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects(registry) });
  const applied = await runProgram(['kubectl', 'apply', '-f', '-'], { env: { KUBECONFIG: kubeconfig } }, manifests);
  if (applied.exitCode !== 0) throw new Error(applied.stderr);
  mkdirSync(folder, { recursive: true });
  await takePictures(link);
} finally {
  await browser.close();
  await program.stop();
}

async function pushImages(registry: string): Promise<void> {
  const client = createRegistryClient();
  try {
    for (const { image } of workloads)
      if (image.startsWith('our/') && !image.endsWith('-missing'))
        await pushImage(client, image.replace('our/', `${registry}/`));
  } finally {
    await client.close();
  }
}

function objects(registry: string): object[] {
  const namespaces = [...new Set(workloads.map(({ namespace }) => namespace))].map((name) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, ...(copied.has(name) ? { labels: { 'image-clone-controller': 'enabled' } } : {}) },
  }));
  const deployments = workloads.map(({ namespace, name, image, replicas = 1, team }) => {
    const labels = { app: name, ...(team === undefined ? {} : { team }) };
    const containers = [{ name: 'app', image: image.replace('our/', `${registry}/`) }];
    return {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, namespace },
      spec: {
        replicas,
        selector: { matchLabels: { app: name } },
        template: { metadata: { labels }, spec: { containers } },
      },
    };
  });
  return [...namespaces, ...deployments];
}

async function takePictures(link: string): Promise<void> {
  const { origin } = new URL(link);
  const { page, context } = await openTab(browser, { viewport: { width: 1440, height: 860 } });
  await page.goto(link);
  await page.waitForSelector('.live.open');
  // The copies are made, and reports of the new workloads are written.
  await page.goto(`${origin}/copies?state=copied`);
  await page.waitForFunction(() => document.querySelectorAll('[data-row]').length >= 7, undefined, {
    timeout: 120_000,
  });
  await page.goto(`${origin}/results?by=none&q=notebook`);
  await page.waitForSelector('[data-row="0"] a', { timeout: 120_000 });
  const views = [
    ['overview', '/', '.feed-row'],
    ['images', '/images', '[data-row="10"] a'],
    ['copies', '/copies', '[data-row="3"] a'],
  ] as const;
  for (const [name, path, shown] of views) await picture(page, name, origin + path, shown);
  await page.goto(`${origin}/images?q=shop/search`);
  await page.locator('[data-row="0"] a').click();
  await page.getByRole('list', { name: 'Life of the image' }).waitFor();
  await picture(page, 'image', page.url(), '.life');
  await page.emulateMedia({ colorScheme: 'dark' });
  await picture(page, 'images-dark', `${origin}/images`, '[data-row="10"] a');
  await page.setViewportSize({ width: 390, height: 800 });
  await picture(page, 'phone', `${origin}/images`, '[data-row="8"] a');
  await context.close();
}

async function picture(page: Page, name: string, url: string, shown: string): Promise<void> {
  await page.goto(url);
  await page.locator(shown).first().waitFor();
  await page.waitForSelector('.live.open');
  const file = join(folder, `${name}.png`);
  writeFileSync(file, await page.screenshot());
  const { size } = statSync(file);
  if (size > maxBytes) throw new Error(`${file} has ${size} bytes, more than ${maxBytes}`);
  console.log(`${file}: ${size} bytes`);
}
