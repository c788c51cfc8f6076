import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { renderExact } from '../../../ui/src/model/format.ts';
import { dashboardFixture } from '../../support/dashboard-fixture.ts';
import { type DashboardServer, startDashboardServer } from '../../support/dashboard-server.ts';
import { noBrowser, openPlainTab, openTab, seriousFindings, startBrowser } from './browser.ts';

const small = dashboardFixture({ images: 30 });
const more = dashboardFixture({ images: 31 });
/** The page has asked for everything that it wants, and for nothing since then. */
async function settled({ requests }: DashboardServer): Promise<void> {
  let before = -1;
  const isSame = () => {
    const wasSame = requests.length === before;
    before = requests.length;
    return wasSame;
  };
  await expect.poll(isSame, { interval: 1_000, timeout: 60_000 }).toBe(true);
}
const textOf = (selector: string) => `document.querySelector(${JSON.stringify(selector)})?.textContent`;
const until = (holds: () => boolean | Promise<boolean>) => expect.poll(holds, { timeout: 60_000 }).toBe(true);

describe.skipIf(noBrowser)('the page while the cluster changes', () => {
  let browser: Browser;
  let server: DashboardServer;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  beforeEach(async () => {
    server = await startDashboardServer(small);
    return () => server.stop();
  });
  afterAll(() => browser?.close());
  const total = (count: number) => `.total b:text-is("${count}")`;

  it('loads what it shows again when that has changed, and nothing else', async () => {
    const { page, context, problems } = await openTab(browser);
    await page.goto(`${server.url}/images`);
    await page.waitForSelector('.live.open');
    await page.waitForSelector(total(30));
    server.fixture = more;
    server.send({ views: ['images'] });
    await page.waitForSelector(total(31));
    await settled(server);
    const before = server.requests.length;
    server.send({ views: ['jobs'] });
    server.send({ views: ['overview'] });
    await until(() => server.requests.length > before);
    expect(server.requests.slice(before)).toEqual(['/api/overview']);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('returns after a dropped stream and catches up', async () => {
    const { page, context, problems } = await openTab(browser, { expectsFailures: true });
    await page.goto(`${server.url}/images`);
    await page.waitForSelector('.live.open');
    server.dropStreams();
    await until(() => server.streams() === 0);
    server.fixture = more;
    server.send({ views: ['images'] });
    await page.waitForSelector(total(31));
    await page.waitForSelector('.live.open');
    expect(problems.filter((problem) => !problem.includes('net::ERR_'))).toEqual([]);
    await context.close();
  });

  it('reads everything again when the server was restarted, and says that it reconnects until then', async () => {
    const { page, context, problems } = await openTab(browser, { expectsFailures: true });
    await page.goto(`${server.url}/images`);
    await page.waitForSelector(total(30));
    await page.waitForSelector('.live.open');
    server.failure = { status: 503, code: 'unavailable', message: 'away' };
    server.restart();
    await page.locator('.live.waiting').getByText('Reconnecting').waitFor();
    // No message tells of it.
    server.fixture = more;
    server.failure = undefined;
    await page.waitForSelector(total(31));
    await page.waitForSelector('.live.open');
    expect(problems.filter((problem) => !problem.includes('net::ERR_'))).toEqual([]);
    await context.close();
  });

  it.each(['/', '/images', '/results', '/system', 'image'])('shows that %s is being loaded', async (path) => {
    const { page, context, problems } = await openTab(browser);
    const release = server.hold();
    await page.goto(server.url + (path === 'image' ? `/images?id=${encodeURIComponent(small.images[1]!.id)}` : path));
    await page.getByRole('status', { name: 'Loading' }).waitFor();
    expect(await page.locator('.skeleton').count()).toBeGreaterThan(3);
    expect(await seriousFindings(page)).toEqual([]);
    release();
    await page.waitForSelector('.skeleton', { state: 'detached' });
    expect(problems).toEqual([]);
    await context.close();
  });

  it.each([
    '/images',
    '/',
    '/copies',
    '/pipeline',
    '/results',
    '/jobs',
    '/system',
    `/images?id=${encodeURIComponent(small.images[1]!.id)}`,
  ])('asks for nothing while its tab is hidden, and catches up when it is shown: %s', async (path) => {
    const tab = await openPlainTab(browser, `${server.url}${path}`);
    const shows = (selector: string) => tab.evaluate(`document.querySelector(${JSON.stringify(selector)}) !== null`);
    const visibility = () => tab.evaluate('document.visibilityState');
    await until(async () => (await shows('.live.open')) === true);
    await settled(server);
    const before = server.requests.length;
    const other = await openPlainTab(browser, 'about:blank');
    await expect.poll(visibility).toBe('hidden');
    await until(() => server.streams() === 0);
    server.fixture = more;
    server.send({ views: ['images', 'overview', 'copies', 'pipeline', 'results', 'jobs', 'system'] });
    // Longer than the pauses after which a visible page would have asked.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(server.requests.slice(before)).toEqual([]);
    await tab.show();
    await expect.poll(visibility).toBe('visible');
    await until(() => server.streams() === 1 && server.requests.slice(before).some((one) => one !== '/api/events'));
    if (path === '/images') await until(async () => (await tab.evaluate(textOf('.total b'))) === '31');
    expect([...tab.problems, ...other.problems]).toEqual([]);
    await tab.close();
    await other.close();
  });

  it('has one stream for all tabs; when its tab closes another one goes on', async () => {
    const first = await openTab(browser);
    await first.page.goto(`${server.url}/images`);
    await first.page.waitForSelector('.live.open');
    const second = await openTab(browser, { beside: first });
    await second.page.goto(`${server.url}/images`);
    await second.page.waitForSelector('.live.open');
    expect(server.streams()).toBe(1);
    server.fixture = more;
    server.send({ views: ['images'] });
    for (const { page } of [first, second]) await page.waitForSelector(total(31));
    await first.page.close();
    await until(() => server.requests.filter((path) => path === '/api/events').length === 2 && server.streams() === 1);
    server.fixture = small;
    server.send({ views: ['images'] });
    await second.page.waitForSelector(total(30));
    expect([...first.problems, ...second.problems]).toEqual([]);
    await first.context.close();
  });

  it('asks once for what several parts of a view show', async () => {
    const { page, context, problems } = await openTab(browser);
    await page.goto(server.url);
    await page.waitForSelector('.live.open');
    await settled(server);
    expect(server.requests.toSorted()).toEqual(['/api/events', '/api/overview', '/api/session']);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('asks for nothing while its tab is hidden when it cannot be opened either', async () => {
    server.failure = { status: 503, code: 'unavailable', message: 'away' };
    server.failsSession = true;
    const tab = await openPlainTab(browser, server.url);
    await until(() => server.requests.length >= 2);
    const other = await openPlainTab(browser, 'about:blank');
    await expect.poll(() => tab.evaluate('document.visibilityState')).toBe('hidden');
    // What was on its way may still arrive.
    await settled(server);
    const before = server.requests.length;
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    expect(server.requests.length).toBe(before);
    server.failure = undefined;
    await tab.show();
    await until(async () => (await tab.evaluate('document.querySelector(".live.open") !== null')) === true);
    await tab.close();
    await other.close();
  });

  it('says that the cluster is still being read, until it is', async () => {
    server.fixture = { ...small, session: { ...small.session, isComplete: false } };
    const { page, context, problems } = await openTab(browser);
    await page.goto(server.url);
    const notice = page.getByText('still reading the cluster');
    await notice.waitFor();
    server.fixture = small;
    await notice.waitFor({ state: 'detached' });
    await settled(server);
    expect(problems).toEqual([]);
    await context.close();
  });

  it.each([-1, 1])('counts ages by the clock of the server, %i h from that of the machine', async (hours) => {
    const { page, context, problems } = await openTab(browser);
    const behind = new Date(Date.now() + hours * 3_600_000);
    await page.clock.setFixedTime(behind);
    await page.goto(`${server.url}/jobs`);
    const age = page.locator('[data-row="0"] .c-seen time');
    // Job 0 of the fixture was made 20 minutes before the tests began.
    await expect.poll(() => age.innerText()).toMatch(/^[23]\d min ago$/);
    const exact = await age.evaluate((time) => [time.getAttribute('title'), time.getAttribute('datetime')!] as const);
    expect(exact[0]).toBe(renderExact(Date.parse(exact[1])));
    expect(problems).toEqual([]);
    await context.close();
  });

  it('signs in and out in all tabs', async () => {
    server.fixture = { ...small, session: { ...small.session, method: 'token' } };
    const first = await openTab(browser, { expectsFailures: true });
    await first.page.goto(`${server.url}/images`);
    await first.page.waitForSelector('.live.open');
    const second = await openTab(browser, { expectsFailures: true, beside: first });
    await second.page.goto(`${server.url}/jobs`);
    await second.page.waitForSelector('.live.open');
    await first.page.getByRole('button', { name: 'Sign out' }).click();
    await first.page.getByText('Sign in to Supercargo').waitFor();
    await second.page.getByText('Your session has ended').waitFor();
    await until(() => server.streams() === 0);
    await second.page.getByLabel('Bearer token').fill('a-token');
    await second.page.getByRole('button', { name: 'Sign in' }).click();
    for (const { page } of [first, second]) await page.waitForSelector('.live.open');
    await first.page.waitForSelector(total(30));
    expect([...first.problems, ...second.problems]).toEqual([]);
    await first.context.close();
  });

  it('asks to sign in when the session ends, and stops asking', async () => {
    const { page, context, problems } = await openTab(browser, { expectsFailures: true });
    await page.goto(`${server.url}/images`);
    await page.waitForSelector('.live.open');
    server.failure = { status: 401, code: 'unauthenticated', message: 'no session' };
    server.dropStreams();
    await page.getByText('Your session has ended').waitFor();
    await until(() => server.streams() === 0);
    await settled(server);
    const before = server.requests.length;
    await page.waitForTimeout(1500);
    expect(server.requests.slice(before)).toEqual([]);
    server.failure = undefined;
    await page.getByLabel('Bearer token').fill('a-token');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForSelector(total(30));
    expect(problems.filter((problem) => !problem.includes('net::ERR_'))).toEqual([]);
    await context.close();
  });

  it('takes the token of a link and removes it from the address', async () => {
    const { page, context, problems } = await openTab(browser);
    await page.goto(`${server.url}/copies#token=abc`);
    await page.waitForSelector('.live.open');
    expect(page.url()).toBe(`${server.url}/copies`);
    expect(server.requests[0]).toBe('/api/session');
    expect(problems).toEqual([]);
    await context.close();
  });
});
