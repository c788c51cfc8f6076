import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
  let address: string;
  let kubeconfig: string;
  beforeAll(async () => {
    browser = await startBrowser();
    program = launch(['up']);
    address = await program.until((stdout) => /^http:\/\/127\.0\.0\.1:\d+\/#token=\S+$/m.exec(stdout)?.[0]);
    kubeconfig = await program.until((stdout) => /export KUBECONFIG=(\S+)/.exec(stdout)?.[1]);
    await program.until((stdout) => (stdout.includes('\nTry it:') ? true : undefined), 120_000);
    tab = await openTab(browser);
    await tab.page.goto(address);
    await tab.page.waitForSelector('.live.open');
  });
  afterAll(async () => {
    await browser?.close();
    await program?.stop();
    endLeftOvers();
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

  it('shows an image from its push to its copy, and what policies say', async () => {
    const { page, problems } = tab;
    await page.goto(`${origin()}/images?q=shop`);
    await page.locator('[data-row="0"] a').click();
    const life = page.getByRole('list', { name: 'Life of the image' });
    await life.getByText('Copied').waitFor();
    await page.getByText('runs as').first().waitFor();
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
});
