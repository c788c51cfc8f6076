// Takes the pictures of README.md and docs from `supercargo up` with its demo and with the cluster of screenshots-story.ts.
// The fonts are those of the machine: the pictures in the repository were taken with Inter and JetBrains Mono.
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { noBrowser, openTab, startBrowser } from '../test/servers/page/browser.ts';
import { launch } from '../test/support/program.ts';
import { tellStory } from './screenshots-story.ts';

const folder = process.env['SCREENSHOTS_FOLDER'] ?? join(import.meta.dirname, '../docs/pictures');
const maxBytes = 200_000;
const patienceMs = 300_000;

if (noBrowser) throw new Error(`no pictures without a browser: ${noBrowser}`);
const clock = join(import.meta.dirname, 'screenshots-clock.cjs');
const program = launch(['up'], {
  env: { NODE_OPTIONS: `--require ${clock}`, SCREENSHOTS_START: String(Date.now()) },
});
const git = mkdtempSync(join(tmpdir(), 'supercargo-pictures-'));
const browser = await startBrowser();
try {
  const link = await program.until(
    (stdout) => /^http:\/\/127\.0\.0\.1:\d+\/#token=\S+$/m.exec(stdout)?.[0],
    patienceMs,
  );
  const kubeconfig = await program.until((stdout) => /export KUBECONFIG=(\S+)/.exec(stdout)?.[1], patienceMs);
  const registry = await program.until((stdout) => /registry for images is at ([^;\s]+);/.exec(stdout)?.[1]);
  await program.until((stdout) => (stdout.includes('\nTry it:') ? true : undefined), patienceMs);
  await tellStory({ kubeconfig, registry, folder: git });
  mkdirSync(folder, { recursive: true });
  await takePictures(link, registry);
} finally {
  await browser.close();
  await program.stop();
  rmSync(git, { recursive: true, force: true });
}

async function takePictures(link: string, registry: string): Promise<void> {
  const { origin } = new URL(link);
  const { page, context } = await openTab(browser, { viewport: { width: 1440, height: 860 } });
  page.setDefaultTimeout(patienceMs);
  await nameRegistry(page, registry);
  await page.goto(link);
  await page.waitForSelector('.live.open');
  // The copies are made, images are scanned, and reports of the new workloads are written.
  await page.goto(`${origin}/copies?state=copied`);
  await page.waitForSelector('[data-row="7"] a');
  await page.goto(`${origin}/images?q=shop/search`);
  await page.locator('[data-row="0"] .c-vuln .counts').waitFor();
  await page.goto(`${origin}/results?by=none&q=notebook`);
  await page.waitForSelector('[data-row="0"] a');
  await picture(page, 'overview', `${origin}/`, '.feed-row', 1_000);
  await picture(page, 'images', `${origin}/images`, '[data-row="10"] a');
  await picture(page, 'copies', `${origin}/copies`, '[data-row="3"] a', 560);
  await picture(page, 'pipeline', `${origin}/pipeline`, '[data-row="3"] a', 560);
  await picture(page, 'results', `${origin}/results?by=policy`, '.row', 560);
  const image = `${origin}/images/registry.example.com/shop/search:v0.31.1`;
  await page.goto(image);
  await page.getByRole('region', { name: 'Events' }).waitFor();
  // It ends with a part, not within one.
  const events = page.getByRole('region', { name: 'Events' });
  const height = await events.evaluate((part) => Math.floor(part.getBoundingClientRect().top));
  await picture(page, 'image', image, '.life', height);
  await picture(page, 'explain', `${origin}/results?by=none&q=notebook`, '[data-row="0"] a', 560, async () => {
    await page.getByRole('link', { name: 'explain' }).first().click();
    await page.locator('.trace').waitFor();
  });
  await page.emulateMedia({ colorScheme: 'dark' });
  await picture(page, 'images-dark', `${origin}/images`, '[data-row="10"] a');
  await page.setViewportSize({ width: 390, height: 800 });
  await picture(page, 'phone', `${origin}/images?ns=shop,payments`, '[data-row="6"] a');
  await context.close();
}

/** The address of a registry of this machine says nothing: the page gets a name for it, and asks by that name. */
async function nameRegistry(page: Page, registry: string): Promise<void> {
  const [name, backup] = ['registry.example.com', 'backup.example.com'];
  const part = registry.replace(':', '_');
  const inNames = registry.replaceAll(/[.:]/g, '-');
  await page.route(/\/api\/(?!events)/, async (route) => {
    const url = route
      .request()
      .url()
      .replaceAll(backup, encodeURIComponent(`${registry}/copies`))
      .replaceAll(name, encodeURIComponent(registry));
    const response = await route.fetch({ url });
    const text = await response.text();
    const body = text
      .replaceAll(`${registry}/copies`, backup)
      .replaceAll(registry, name)
      .replaceAll(part, name)
      .replaceAll(inNames, name.replaceAll('.', '-'))
      .replaceAll(/"git":\{"url":"[^"]*\//g, '"git":{"url":"https://git.example.com/');
    await route.fulfill({ response, body });
  });
}

async function picture(
  page: Page,
  name: string,
  url: string,
  shown: string,
  height?: number,
  then: () => Promise<void> = async () => {},
): Promise<void> {
  const size = page.viewportSize()!;
  if (height !== undefined) await page.setViewportSize({ ...size, height });
  await page.goto(url);
  await page.locator(shown).first().waitFor();
  await page.waitForSelector('.live.open');
  await then();
  const file = join(folder, `${name}.png`);
  writeFileSync(file, await page.screenshot());
  await page.setViewportSize(size);
  const { size: bytes } = statSync(file);
  if (bytes > maxBytes) throw new Error(`${file} has ${bytes} bytes, more than ${maxBytes}`);
  console.log(`${file}: ${bytes} bytes`);
}
