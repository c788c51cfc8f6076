import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dashboardFixture } from '../../support/dashboard-fixture.ts';
import { type DashboardServer, startDashboardServer } from '../../support/dashboard-server.ts';
import { noBrowser, openPlainTab, openTab, seriousFindings, startBrowser } from './browser.ts';

const full = dashboardFixture({ images: 412 });
const hostile = `<img src=x onerror=alert(1)>\u202egpj\u0000\u001b[31m"'&${'x'.repeat(10_000)}`;
const explain = ['p', 'r', 'apps/v1', 'Deployment', 'shop', 'web'].map(encodeURIComponent).join('~');

/** Each view, with a text that it shows of the data, and one that it shows without any. */
const views = {
  overview: ['/', 'Pod cannot pull', 'All is well'],
  images: ['/images', 'registry.k8s.io/shop/api', 'No images yet'],
  image: [`/images/${full.images[16]!.id}`, 'runs as', 'No such image'],
  copies: ['/copies', 'backup.example.com/mirror', 'No copies'],
  detections: ['/pipeline', 'AlreadyDeployed', 'Nothing detected yet'],
  policies: ['/pipeline?tab=policies', 'AccessDeniedException', 'No ImageResourcePolicy'],
  results: ['/results', 'verifyImages is not supported', 'No results'],
  findings: ['/results?by=none', 'Running as root is not allowed', 'No findings'],
  exceptions: ['/results?by=exceptions', 'disallow-latest/require-tag', 'No exceptions'],
  explanation: [`/results?explain=${explain}`, 'found: docker.io/library/redis:latest', 'containers[0]'],
  jobs: ['/jobs', 'scan-images/job-per-image', 'No jobs'],
  system: ['/system', 'supercargo-6f5b7-7c9d8', 'no run has ended yet'],
} as const;
const names = Object.keys(views) as (keyof typeof views)[];

describe.skipIf(noBrowser)('a view of the page', () => {
  let browser: Browser;
  let server: DashboardServer;
  beforeAll(async () => {
    browser = await startBrowser();
    server = await startDashboardServer(full);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  it('would not pass with an error or a violation of the policy', async () => {
    server.fixture = full;
    const mistakes = `
      console.error('a mistake');
      setTimeout(() => { throw new Error('a failure'); });
      const image = document.createElement('img');
      image.src = 'https://elsewhere.example/pixel.png';
      document.body.append(image);`;
    const expected = ['a mistake', 'a failure', 'img-src'];
    const tab = await openTab(browser);
    await tab.page.goto(server.url);
    await tab.page.evaluate(mistakes);
    const plain = await openPlainTab(browser, server.url);
    await expect.poll(() => plain.evaluate('document.readyState')).toBe('complete');
    await plain.evaluate(mistakes);
    for (const text of expected) await expect.poll(() => tab.problems.join('\n')).toContain(text);
    for (const text of ['a failure', 'Content Security Policy'])
      await expect.poll(() => plain.problems.join('\n')).toContain(text);
    await plain.close();
    await tab.context.close();
  });

  it.each(names)('%s shows its data, and axe finds nothing serious, light, dark and on a phone', async (name) => {
    const [path, text] = views[name];
    server.fixture = full;
    const { page, context, problems } = await openTab(browser);
    await page.goto(server.url + path);
    await page.getByText(text).first().waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await seriousFindings(page, ['color-contrast'])).toEqual([]);
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await seriousFindings(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    expect(problems).toEqual([]);
    await context.close();
  });

  it.each(names)('%s says that it is empty', async (name) => {
    const [path, , text] = views[name];
    server.fixture = dashboardFixture({ images: 0 });
    const { page, context, problems } = await openTab(browser, { expectsFailures: true });
    await page.goto(server.url + path);
    await page.getByText(text).first().waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('each says why it cannot be shown, and shows its data as soon as it can', async () => {
    server.fixture = full;
    server.failure = { status: 503, code: 'unavailable', message: 'The API server <b>is away</b>.' };
    const first = await openTab(browser, { expectsFailures: true });
    const open = async (name: (typeof names)[number]) => {
      const tab = await openTab(browser, { expectsFailures: true, beside: first });
      await tab.page.goto(server.url + views[name][0]);
      await tab.page.getByText('The API server <b>is away</b>.').first().waitFor();
      return { name, ...tab };
    };
    const tabs = [];
    for (const name of names) tabs.push(await open(name));
    expect(await seriousFindings(tabs[0]!.page)).toEqual([]);
    server.failure = undefined;
    for (const { name, page, problems } of tabs) {
      await page.getByText(views[name][1]).first().waitFor();
      expect(problems, name).toEqual([]);
    }
    await first.context.close();
  });

  it.each(names)('%s shows the texts of strangers as text', async (name) => {
    // A URL has no room for 10 KB.
    const text = name === 'image' ? hostile.slice(0, 500) : hostile;
    server.fixture = dashboardFixture({ images: 60, text });
    const path = name === 'image' ? `/images?id=${encodeURIComponent(server.fixture.images[16]!.id)}` : views[name][0];
    const { page, context, problems } = await openTab(browser);
    await page.goto(server.url + path);
    const shown = page.getByText('<img src=x onerror=').first();
    await shown.waitFor({ state: 'attached' });
    expect(await page.locator('#app img').count()).toBe(0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(1360);
    const hidden = await page.locator('#app').evaluate((app) => {
      const shownTo = ['title', 'aria-label', 'placeholder', 'alt', 'datetime'];
      const texts = [...app.querySelectorAll('*')].flatMap((element) =>
        shownTo.map((name) => `${element.tagName} ${name} ${element.getAttribute(name) ?? ''}`),
      );
      return [document.title, app.textContent, ...texts].filter((text) =>
        /(?![\t\n\r])[\p{Cc}\p{Cf}]/u.test(text ?? ''),
      );
    });
    expect(hidden.map((text) => text?.slice(0, 200))).toEqual([]);
    expect(problems).toEqual([]);
    await context.close();
  });
});
