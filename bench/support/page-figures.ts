import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import type { Browser, chromium as Chromium } from 'playwright-core';
import { findOnPath } from '../../test/support/search-path.ts';
import type { Figure } from './figures.ts';

interface PageFiguresOptions {
  /** Of the page, without a path. */
  readonly origin: string;
  readonly linkToken: string;
  readonly runs: number;
}

/**
 * What a person waits for in Chromium: from opening the list of images to its first rows in a frame, by the clock, and the
 * processor time of the tab until then. Then the frames with blank rows of a fast scroll of 120 frames. Nothing without
 * Chromium.
 */
export async function pageFigures({ origin, linkToken, runs }: PageFiguresOptions): Promise<Figure[]> {
  const executablePath = await findOnPath('chromium');
  if (executablePath === undefined) return [];
  // Of the project, which is not beside the bundle that runs.
  const load = createRequire(join(resolve('.'), 'package.json'));
  const { chromium } = load('playwright-core') as { chromium: typeof Chromium };
  const browser = await chromium.launch({ executablePath, timeout: 120_000, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const clock: number[] = [];
    const processor: number[] = [];
    const blank: number[] = [];
    for (let run = 0; run < runs; run++) {
      const figures = await open(browser, `${origin}/images#token=${linkToken}`);
      clock.push(figures.clockMs);
      processor.push(figures.processorMs);
      blank.push(figures.blankFrames);
    }
    const figure = (name: string, unit: string, values: number[]) => ({ name, unit, better: 'less' as const, values });
    return [
      { ...figure('first rows in Chromium', 'ms', clock), target: 300 },
      figure('first rows in Chromium: CPU of the tab', 'ms', processor),
      figure('frames with blank rows of 120', 'frames', blank),
    ];
  } finally {
    await browser.close();
  }
}

// As text: types of the DOM are not those of the program.
const markFirstRows = `
  const seen = new MutationObserver(() => {
    if (document.querySelector('[data-row="0"]:not(.loading)') === null) return;
    seen.disconnect();
    requestAnimationFrame(() => performance.mark('rows'));
  });
  seen.observe(document, { childList: true, subtree: true });`;

const scrollFast = `(async () => {
  const scroller = document.querySelector('.scroller');
  let found = 0;
  for (let step = 0; step < 120; step++) {
    scroller.scrollTop += 200;
    await new Promise((drawn) => requestAnimationFrame(drawn));
    const { top, bottom } = scroller.getBoundingClientRect();
    const rows = [...scroller.querySelectorAll('.row.loading')].map((row) => row.getBoundingClientRect());
    if (rows.some((row) => row.bottom > top + 40 && row.top < bottom)) found++;
  }
  return found;
})()`;

async function open(browser: Browser, link: string) {
  const context = await browser.newContext({ viewport: { width: 1360, height: 860 } });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  await page.addInitScript(markFirstRows);
  const devtools = await context.newCDPSession(page);
  await devtools.send('Performance.enable');
  await page.goto(link);
  await page.locator('[data-row="0"]:not(.loading)').waitFor();
  // The mark is set in the next frame. A function to wait for would be evaluated in the page, whose policy refuses that.
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
  const { metrics } = await devtools.send('Performance.getMetrics');
  const processorMs = metrics.find(({ name }) => name === 'ProcessTime')!.value * 1000;
  const clockMs = await page.evaluate<number>("performance.getEntriesByName('rows')[0].startTime");
  const blankFrames = await page.evaluate<number>(scrollFast);
  await context.close();
  return { clockMs, processorMs, blankFrames };
}
