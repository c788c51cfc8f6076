import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dashboardFixture } from '../../support/dashboard-fixture.ts';
import { type DashboardServer, startDashboardServer } from '../../support/dashboard-server.ts';
import { endLeftOvers, launch, type Running, runProgram } from '../../support/program.ts';
import { noBrowser, openTab, seriousFindings, startBrowser, type Tab } from './browser.ts';

const pod = (name: string, image: string) =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { team: 'a' } },
    spec: { containers: [{ name: 'app', image }] },
  });

describe.skipIf(noBrowser)('the page of supercargo up', () => {
  let browser: Browser;
  let program: Running;
  let tab: Tab;
  let empty: { readonly server: DashboardServer; readonly page: Page };
  let home: string;
  let address: string;
  let kubeconfig: string;
  beforeAll(async () => {
    browser = await startBrowser();
    home = mkdtempSync(join(tmpdir(), 'supercargo-page-'));
    program = launch(['up'], { home });
    address = await program.until((stdout) => /^http:\/\/127\.0\.0\.1:\d+\/#token=\S+$/m.exec(stdout)?.[0]);
    kubeconfig = await program.until((stdout) => /export KUBECONFIG=(\S+)/.exec(stdout)?.[1]);
    await program.until((stdout) => (stdout.includes('\nTry it:') ? true : undefined), 120_000);
    const server = await startDashboardServer(dashboardFixture({ images: 0 }));
    empty = { server, page: (await openTab(browser)).page };
    tab = await openTab(browser);
    await tab.page.goto(address);
    await tab.page.waitForSelector('.live.open');
  });
  afterAll(async () => {
    await browser?.close();
    await empty?.server.stop();
    await program?.stop();
    endLeftOvers();
    rmSync(home, { recursive: true, force: true });
  });
  const origin = () => new URL(address).origin;

  it('shows what the demo made', async () => {
    const { page, problems } = tab;
    for (const [path, text] of [
      ['/', 'Last hour'],
      ['/images', 'library/nginx'],
      ['/copies', '/copies/'],
      ['/pipeline', 'Detections'],
      ['/results', 'default'],
      ['/results?by=none', 'require-team'],
      ['/jobs', 'job-for-image'],
      ['/jobs?q=check-demo-change', 'GeneratingPolicy/check-pods'],
      ['/system', 'MirroredImage'],
    ] as const) {
      await page.goto(origin() + path);
      await page.getByText(text).first().waitFor();
      expect(await seriousFindings(page), path).toEqual([]);
    }
    expect(problems).toEqual([]);
  });

  // Of each scene: its title, and of what it says the words that the linked page must show.
  it.each([
    ['A Deployment runs', /pod\/(hello-\S+) is Running/],
    ['A policy is evaluated', /found "(envoyproxy\/envoy:latest)"/],
    ['Policies decide', /Pod\/default\/(demo-untagged) was blocked/],
    ['A policy in CEL', /(pod demo-host asks for the network of its node)/],
    ['A policy reports', /pod\/(unlabelled) fails/],
    ['One Job per image', /job\/(img-\S+) was made/],
    ['Policies in CEL change', /job\/(check-demo-change) was made/],
    ['What is no longer needed', /configmap\/(preview-old) was deleted/],
    ['An image that is pushed', /git log: (\w{7})/],
    ['Policies follow Fairwinds Insights', /refused: (Insights returned no policy at all)/],
    ['An image is cloned', /it runs (\S+)/],
  ])('shows what the scene “%s” made, where its link leads', async (title, said) => {
    const { page, problems } = tab;
    const scene = program
      .stdout()
      .split(/\n(?=\d+\. )/)
      .find((text) => text.includes(`. ${title}`))!;
    const words = said.exec(scene)![1]!;
    const link = /on the page: (\S+)/.exec(scene)![1]!;
    // What the page shows without any data is not what the scene made.
    await empty.page.goto(empty.server.url + link.slice(origin().length));
    await empty.page.waitForSelector('.live.open');
    await empty.page.waitForSelector('.skeleton', { state: 'detached' });
    expect(await empty.page.locator('#content').innerText()).not.toContain(words);
    await page.goto(link);
    await page.locator('#content, dialog').getByText(words).first().waitFor();
    expect(problems).toEqual([]);
  });

  it('shows an image from its push to its copy, and what policies say', async () => {
    const { page, problems } = tab;
    await page.goto(`${origin()}/images?q=shop`);
    await page.locator('[data-row="0"] a').click();
    const life = page.getByRole('list', { name: 'Life of the image' });
    await life.getByText('Copied').waitFor();
    await page.getByText('runs as').first().waitFor();
    const digest = /sha256:\w+/.exec((await page.locator('.digest').getAttribute('title'))!)![0];
    await page.locator(`.pods [title$="@${digest}"]`).first().waitFor();
    await page.getByRole('region', { name: 'Policy' }).getByText('require-team').first().waitFor();
    expect(problems).toEqual([]);
  });

  it('shows a new image without being asked', async () => {
    const { page, problems } = tab;
    await page.goto(`${origin()}/images?q=fresh`);
    await page.getByText('Nothing matches').waitFor();
    const env = { KUBECONFIG: kubeconfig };
    const made = await runProgram(['kubectl', 'apply', '-f', '-'], { env }, pod('fresh', 'registry.example/fresh:1.0'));
    expect(made.exitCode, made.stderr).toBe(0);
    await page.locator('[data-row="0"]').getByText('fresh').waitFor();
    await runProgram(['kubectl', 'delete', 'pod', 'fresh', '--now'], { env });
    await page.getByText('Nothing matches').waitFor();
    expect(problems).toEqual([]);
  });

  it('asks for a token without one, and refuses a wrong one', async () => {
    const other = await openTab(browser, { expectsFailures: true });
    await other.page.goto(origin());
    await other.page.getByLabel('Bearer token').fill('not-the-token');
    await other.page.getByRole('button', { name: 'Sign in' }).click();
    await other.page.locator('#sign-in-problem').getByText(/\w/).waitFor();
    expect(await seriousFindings(other.page)).toEqual([]);
    await other.page.goto(`${address}`);
    await other.page.reload();
    await other.page.waitForSelector('.live.open');
    expect(other.problems).toEqual([]);
    await other.context.close();
  });

  // The last one: it ends the program.
  it('keeps the repository of the demo as long as the cluster', async () => {
    const folder = /the repository is (\S+);/.exec(program.stdout())![1]!;
    expect(folder.startsWith(home)).toBe(true);
    expect(existsSync(join(folder, 'HEAD'))).toBe(true);
    expect(await program.stop()).toEqual({ code: 0, signal: null });
    expect(readdirSync(home).filter((name) => name.startsWith('supercargo-demo-'))).toEqual([]);
  });
});
