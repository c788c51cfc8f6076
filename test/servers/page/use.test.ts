import { readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dashboardFixture } from '../../support/dashboard-fixture.ts';
import { type DashboardServer, startDashboardServer } from '../../support/dashboard-server.ts';
import { noBrowser, openTab, seriousFindings, startBrowser } from './browser.ts';

const count = 20_000;

describe.skipIf(noBrowser)('the page with 20,000 images', () => {
  let browser: Browser;
  let server: DashboardServer;
  beforeAll(async () => {
    browser = await startBrowser();
    server = await startDashboardServer(dashboardFixture({ images: count, rows: count }));
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });
  const rowText = (page: Page, row: number) => page.locator(`[data-row="${row}"] .c-image`).innerText();

  const lists = ['/images', '/copies', '/pipeline', '/results?by=none', '/jobs'];

  it.each(lists)('shows the first rows of %s with little work, whatever their number', async (path) => {
    const attempts: { readonly processorMs: number; readonly clockMs: number }[] = [];
    const best = (of: 'processorMs' | 'clockMs') => Math.round(Math.min(...attempts.map((attempt) => attempt[of])));
    for (let i = 0; i < 6 && best('processorMs') > 300; i++) {
      const { page, context, problems } = await openTab(browser);
      await page.addInitScript(() => {
        const seen = new MutationObserver(() => {
          if (document.querySelector('[data-row="0"]:not(.loading)') === null) return;
          seen.disconnect();
          requestAnimationFrame(() => performance.mark('rows'));
        });
        seen.observe(document, { childList: true, subtree: true });
      });
      const devtools = await context.newCDPSession(page);
      await devtools.send('Performance.enable');
      await page.goto(server.url + path);
      await page.waitForFunction(() => performance.getEntriesByName('rows').length > 0);
      const { metrics } = await devtools.send('Performance.getMetrics');
      const clockMs = await page.evaluate(() => performance.getEntriesByName('rows')[0]!.startTime);
      attempts.push({ processorMs: metrics.find(({ name }) => name === 'ProcessTime')!.value * 1000, clockMs });
      expect(problems).toEqual([]);
      await context.close();
    }
    console.log(
      `first of 20,000 rows of ${path}: ${best('processorMs')} ms of a processor, ${best('clockMs')} ms by the clock`,
    );
    // By the clock it depends on what else the machine does; bench/dashboard.ts measures that. This is all that the tab's
    // process used since it began: 230 ms on a machine with ten times the work it can do.
    expect(best('processorMs')).toBeLessThanOrEqual(1_000);
  });

  it.each(lists)('scrolls to any place of %s without a blank row, with few elements and requests', async (path) => {
    const { page, context, problems } = await openTab(browser);
    await page.addInitScript(() => {
      const counted = globalThis as unknown as { underWay: number };
      counted.underWay = 0;
      const { fetch: send } = globalThis;
      globalThis.fetch = (...request) => {
        counted.underWay++;
        return send(...request).finally(() => counted.underWay--);
      };
    });
    await page.goto(server.url + path);
    await page.waitForSelector('[data-row="0"]:not(.loading)');
    server.requests.length = 0;
    const { gaps, passed } = await page.evaluate(async () => {
      const scroller = document.querySelector('.scroller')!;
      const frame = () => new Promise((done) => requestAnimationFrame(done));
      const found: string[] = [];
      for (let step = 0; step < 18; step++) {
        scroller.scrollTop += 2 * scroller.clientHeight;
        await frame();
        await frame();
        const { top, bottom } = scroller.getBoundingClientRect();
        const rows = [...scroller.querySelectorAll('[data-row]')].map((row) => row.getBoundingClientRect());
        const first = Math.min(...rows.map((row) => row.top));
        const last = Math.max(...rows.map((row) => row.bottom));
        if (first > top + 40 || last < bottom - 1) found.push(`${scroller.scrollTop}: ${first} to ${last}`);
        const blank = [...scroller.querySelectorAll('.row.loading')].map((row) => row.getBoundingClientRect());
        if (blank.some((row) => row.bottom > top + 40 && row.top < bottom)) found.push(`${scroller.scrollTop}: blank`);
        // How fast a machine answers is not asked: all that was in sight until now asked for has come.
        for (let quietSince = performance.now(); performance.now() - quietSince < 200; await frame())
          if ((globalThis as unknown as { underWay: number }).underWay > 0) quietSince = performance.now();
      }
      const { height } = scroller.querySelector('[data-row]')!.getBoundingClientRect();
      return { gaps: found, passed: scroller.scrollTop / height };
    });
    expect(gaps).toEqual([]);
    // Also what is far from all that was loaded is shown, once it has come.
    await page.locator('.scroller').evaluate((scroller) => scroller.scrollTo(0, scroller.scrollHeight));
    await page.waitForSelector(`[data-row="${count - 1}"]:not(.loading)`);
    if (path === '/images') expect(await rowText(page, count - 1)).toContain(String(count - 1));
    expect(await page.locator('[data-row]').count()).toBeLessThan(120);
    // Pages of 200 rows: those that were passed, the next one, the last one, and what else the view asks for.
    expect(server.requests.length).toBeLessThan(Math.ceil(passed / 200) + 6);
    expect(problems).toEqual([]);
    await context.close();
  });

  it.each([
    ['/', 'Needs attention'],
    ['/results', 'verifyImages is not supported'],
    ['/results?by=exceptions', 'disallow-latest/require-tag'],
    ['/pipeline?tab=policies', 'AccessDeniedException'],
    ['/system', '20,000 images'],
    ['image', 'runs as'],
  ])('shows %s with its numbers, and few elements', async (path, text) => {
    const { page, context, problems } = await openTab(browser);
    const { id } = server.fixture.images[16]!;
    await page.goto(server.url + (path === 'image' ? `/images?id=${encodeURIComponent(id)}` : path));
    await page.getByText(text).first().waitFor();
    await page.getByRole('link', { name: 'Images 20k' }).waitFor();
    expect(await page.locator('#app *').count()).toBeLessThan(3_000);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('is used with the keyboard alone', async () => {
    const { page, context, problems } = await openTab(browser);
    await page.goto(server.url);
    await page.getByText('Needs attention').waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('i');
    await page.waitForSelector('[data-row="0"] a');
    await page.keyboard.press('/');
    await page.keyboard.type('billing');
    await page.waitForURL(/q=billing/);
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => document.querySelector('[data-row="0"]')?.textContent?.includes('billing'));
    for (const key of ['j', 'j', 'j', 'k']) await page.keyboard.press(key);
    await page.waitForFunction(() => document.activeElement?.closest('[data-row="1"]') !== null);
    const name = await rowText(page, 1);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/images\/.*billing/);
    expect(await page.locator('h1').innerText()).toContain(name.trim().split(/[\n/]/).at(-1));
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.goBack();
    await page.waitForSelector('[data-row="1"]');
    expect(page.url()).toContain('q=billing');
    expect(problems).toEqual([]);
    await context.close();
  });

  it('keeps its state in the URL', async () => {
    const { page, context, problems } = await openTab(browser);
    await page.goto(`${server.url}/images`);
    await page.getByLabel('All registries').selectOption('ghcr.io');
    await page.getByLabel('Only running').check();
    await page.getByRole('link', { name: 'Workloads' }).click();
    await page.waitForURL(`${server.url}/images?registry=ghcr.io&running=true&sort=workloads&order=desc`);
    await page.waitForFunction(() => document.querySelector('[data-row="0"] .c-runs')?.textContent?.startsWith('7'));
    const total = await page.locator('.total').innerText();
    expect(total).toMatch(/^3,\d{3} of 20,000$/);
    await page.reload();
    await page.waitForSelector('[data-row="0"] a');
    expect(await page.locator('.total').innerText()).toBe(total);
    expect(await page.getByLabel('All registries').inputValue()).toBe('ghcr.io');
    await page.goBack();
    expect(problems).toEqual([]);
    await context.close();
  });

  it('exports every row of the filter, and copies commands', async () => {
    const { page, context, problems } = await openTab(browser, { permissions: ['clipboard-read', 'clipboard-write'] });
    await page.goto(`${server.url}/images?copy=failed`);
    await page.waitForSelector('[data-row="0"] a');
    const failed = server.fixture.images.filter(({ copy }) => copy === 'failed');
    for (const format of ['CSV', 'JSON'] as const) {
      await page.getByText('Export').click();
      if (format === 'CSV') expect(await seriousFindings(page)).toEqual([]);
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: format }).click(),
      ]);
      const text = await readFile((await download.path())!, 'utf8');
      if (format === 'JSON') expect(JSON.parse(text)).toEqual(failed);
      else {
        const lines = text.trimEnd().split('\r\n');
        expect(lines).toHaveLength(failed.length + 1);
        expect(lines[1]).toContain(failed[0]!.id);
      }
    }
    await page.goto(`${server.url}/jobs`);
    await page.locator('[data-row="0"]').hover();
    await page.locator('[data-row="0"] button').click();
    await page.getByText('Copied: kubectl describe').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
      /^kubectl describe --namespace=\w+ job\/img-/,
    );
    for (const key of ['j', 'j']) await page.keyboard.press(key);
    const chosen = page.locator('[data-row="1"].chosen');
    const name = await chosen.locator('.c-name').innerText();
    await page.keyboard.press('c');
    await expect
      .poll(async () => name.includes((await page.evaluate(() => navigator.clipboard.readText())).split('/')[1]!))
      .toBe(true);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('remembers the theme that a person chose', async () => {
    const { page, context, problems } = await openTab(browser, { colorScheme: 'light' });
    const background = () => page.evaluate(() => getComputedStyle(document.querySelector('.main')!).backgroundColor);
    await page.goto(server.url);
    await page.waitForSelector('.main');
    const light = await background();
    for (let i = 0; i < 2; i++) await page.keyboard.press('t');
    const dark = await background();
    await page.reload();
    await page.waitForSelector('.main');
    expect(await background()).toBe(dark);
    expect(dark).not.toBe(light);
    expect(problems).toEqual([]);
    await context.close();
  });
});
