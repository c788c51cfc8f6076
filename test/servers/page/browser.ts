import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { findOnPath } from '../../support/search-path.ts';
import { missingOf } from '../../support/skip.ts';

const executable = (await findOnPath('chromium')) ?? (await findOnPath('google-chrome'));
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** A browser is slow on a machine that does much else. */
const patienceMs = 120_000;

/** Why tests in a browser cannot run; undefined when they can. */
export const noBrowser = missingOf('the page', { chromium: executable });

/** Chromium without a window, with a profile of its own that ends with it. */
export async function startBrowser(): Promise<Browser> {
  return await chromium.launch({
    executablePath: executable!,
    timeout: patienceMs,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

export interface Tab {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of the console and of scripts, and violations of the Content Security Policy. */
  readonly problems: string[];
}

export interface TabOptions extends BrowserContextOptions {
  /** Answers with an error status and dropped connections, which browsers write to the console, are meant. */
  readonly expectsFailures?: boolean;
  /** Another tab of the same browser profile. */
  readonly beside?: Tab;
}

/** A tab that collects what must not happen. */
export async function openTab(
  browser: Browser,
  { beside, expectsFailures, ...options }: TabOptions = {},
): Promise<Tab> {
  const context = beside?.context ?? (await browser.newContext({ viewport: { width: 1360, height: 860 }, ...options }));
  const page = await context.newPage();
  page.setDefaultTimeout(patienceMs);
  const problems: string[] = [];
  page.on('console', (message) => {
    const isFailure = message.text().startsWith('Failed to load resource');
    if (['error', 'warning'].includes(message.type()) && !(expectsFailures && isFailure)) problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  await page.exposeFunction('noteViolation', (text: string) => problems.push(text));
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
      (globalThis as unknown as { noteViolation: (text: string) => void }).noteViolation(
        `${violatedDirective}: ${blockedURI}`,
      );
    });
  });
  return { page, context, problems };
}

/** What axe finds that is serious or critical, one line each. `only`: the ids of the rules to try, which is faster. */
export async function seriousFindings(page: Page, only?: readonly string[]): Promise<string[]> {
  // An evaluation by the debugger is not subject to the page's policy.
  await page.evaluate(axeSource);
  const { violations } = await page.evaluate(
    (rules) =>
      (globalThis as unknown as { axe: { run: (options: object) => Promise<AxeAnswer> } }).axe.run(
        rules ? { runOnly: rules } : {},
      ),
    only,
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.slice(0, 3).map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    );
}

interface AxeAnswer {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
  }[];
}

/** A tab that nothing but this test drives. Playwright keeps each of its own pages visible, whichever tab is shown. */
export interface PlainTab {
  /** The value of an expression, as JSON tells it. */
  evaluate(expression: string): Promise<unknown>;
  /** Brings it to the front of its window, which hides the tab that was there. */
  show(): Promise<void>;
  close(): Promise<void>;
  /** Errors of the console and of scripts, and violations of the Content Security Policy. */
  readonly problems: string[];
}

interface ProtocolMessage {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly entry?: { readonly level: string; readonly text: string } };
  readonly result?: { readonly result?: { readonly value?: unknown } };
  readonly error?: { readonly message: string };
}

/** A new tab of the browser's window, at the front. */
export async function openPlainTab(browser: Browser, url: string): Promise<PlainTab> {
  const devtools = await browser.newBrowserCDPSession();
  const { targetId } = await devtools.send('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await devtools.send('Target.attachToTarget', { targetId, flatten: false });
  const waiting = new Map<number, (message: ProtocolMessage) => void>();
  const problems: string[] = [];
  let count = 0;
  devtools.on('Target.receivedMessageFromTarget', (event) => {
    if (event.sessionId !== sessionId) return;
    const message = JSON.parse(event.message) as ProtocolMessage;
    if (message.id !== undefined) waiting.get(message.id)?.(message);
    else if (message.method === 'Runtime.exceptionThrown') problems.push(event.message);
    const { level = '', text = '' } = message.params?.entry ?? {};
    if (level === 'error' || level === 'warning') problems.push(text);
  });
  const send = async (method: string, params: object = {}): Promise<ProtocolMessage> => {
    const id = ++count;
    const answer = new Promise<ProtocolMessage>((resolve) => waiting.set(id, resolve));
    await devtools.send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id, method, params }) });
    const { error, ...message } = await answer;
    if (error) throw new Error(`${method}: ${error.message}`);
    return message;
  };
  for (const domain of ['Runtime', 'Log']) await send(`${domain}.enable`);
  await send('Page.navigate', { url });
  return {
    problems,
    evaluate: async (expression) => {
      const { result } = await send('Runtime.evaluate', { expression, returnByValue: true });
      return result?.result?.value;
    },
    show: async () => {
      await devtools.send('Target.activateTarget', { targetId });
    },
    close: async () => {
      await devtools.send('Target.closeTarget', { targetId });
      await devtools.detach();
    },
  };
}
