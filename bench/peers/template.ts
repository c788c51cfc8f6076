import { execFileSync } from 'node:child_process';
import type { TemplateCase } from '../../src/gotemplate/cases/case.ts';
import { compileTemplate } from '../../src/gotemplate/index.ts';
import {
  askGoTemplateOracle,
  locateGoTemplateOracle,
  renderTemplateCase,
  timeGoTemplateOracle,
} from '../../test/support/go-template-oracle.ts';
import { loopOver, templateCases } from '../support/template-cases.ts';
import type { Comparison, Turn, Work } from './comparison.ts';
import { measureHere, measureThere } from './in-process.ts';

/** About so long takes a turn of Go. */
const turnNs = 5e8;

/** The same templates on the same data, compiled once, against Go's own text/template with sprig. */
export const template: Comparison = {
  name: 'template',
  grows: true,
  async open({ growth, progress }) {
    progress("Go's text/template: a first build takes a minute");
    const oracle = await locateGoTemplateOracle();
    if (oracle.path === undefined) return oracle;
    const { path } = oracle;
    const go = /go[\d.]+/.exec(execFileSync('go', ['version', path], { encoding: 'utf8' }))?.[0];
    const work = (item: (typeof templateCases)[number]): Work => ({
      title: `template: ${item.title}`,
      peer: `text/template of ${go}`,
      turn: async (side) => {
        const count = Math.max(5, Math.round(turnNs / (await timeGoTemplateOracle(path, item, 5))));
        return side === 'ours' ? renderHere(item, count) : renderThere(path, item, count);
      },
    });
    const grown = (items: number): Work => ({
      ...work(loopOver(items)),
      growth: { of: 'template: loop, items', size: items.toLocaleString('en') },
    });
    return { works: growth ? [1000, 10_000, 100_000].map(grown) : templateCases.map(work) };
  },
};

async function renderHere(item: TemplateCase, count: number): Promise<Turn> {
  const program = compileTemplate(item.template, { name: 'case' });
  const turn = measureHere(count, () => void program.render(item.data));
  return { ...turn, outcome: program.render(item.data) };
}

async function renderThere(path: string, item: TemplateCase, count: number): Promise<Turn> {
  const input = renderTemplateCase(item);
  const { cpuMs, stdout } = await measureThere(count, (rounds) => ({
    file: path,
    args: ['bench', `${rounds}`],
    env: { TZ: 'UTC' },
    input,
  }));
  const [answer] = await askGoTemplateOracle(path, [item]);
  return { cpuMs, wallMs: Number(stdout) / 1e6, outcome: answer?.output ?? '' };
}
