/**
 * Rendering against Go's text/template on the same templates and data, both compiled once: nanoseconds a rendering,
 * best of five interleaved runs each, and the ratio. Skips with a reason where Go is not installed.
 */

import type { TemplateCase } from '../src/gotemplate/cases/case.ts';
import { compileTemplate } from '../src/gotemplate/index.ts';
import {
  askGoTemplateOracle,
  locateGoTemplateOracle,
  timeGoTemplateOracle,
} from '../test/support/go-template-oracle.ts';
import { renderFigures } from './support/figures.ts';
import { templateCases } from './support/template-cases.ts';

const runs = 5;
const targetRatio = 3;

function timeOurs(item: TemplateCase, count: number): number {
  const program = compileTemplate(item.template, { name: 'case' });
  for (let i = 0; i < count / 5; i++) program.render(item.data);
  const start = process.hrtime.bigint();
  for (let i = 0; i < count; i++) program.render(item.data);
  return Number(process.hrtime.bigint() - start) / count;
}

const oracle = await locateGoTemplateOracle();
if (oracle.path === undefined) {
  process.stdout.write(`skipped: ${oracle.reason}\n`);
} else {
  for (const item of templateCases) {
    const [expected] = await askGoTemplateOracle(oracle.path, [item]);
    const ours = compileTemplate(item.template, { name: 'case' }).render(item.data);
    if (ours !== expected?.output) throw new Error(`${item.title}: the output is not Go's`);
    const count = Math.max(200, Math.round(2e8 / (await timeGoTemplateOracle(oracle.path, item, 200))));
    const times = { ours: [] as number[], go: [] as number[] };
    for (let run = 0; run < runs; run++) {
      times.ours.push(timeOurs(item, count));
      times.go.push(await timeGoTemplateOracle(oracle.path, item, count));
    }
    const ratio = Math.min(...times.ours) / Math.min(...times.go);
    process.stdout.write(`${item.title} (${count} renderings a run): ${ratio.toFixed(2)} x Go's time`);
    process.stdout.write(`, target <= ${targetRatio}: ${ratio <= targetRatio ? 'met' : 'NOT MET'}\n`);
    process.stdout.write(
      `${renderFigures([
        { name: 'ours', unit: 'ns', values: times.ours, better: 'less' },
        { name: 'Go', unit: 'ns', values: times.go, better: 'less' },
      ])}\n\n`,
    );
  }
}
