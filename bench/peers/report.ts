import { cpus } from 'node:os';
import type { Compared } from './comparison.ts';
import { renderGrowth, renderRatios } from './table.ts';

const marks = {
  ratios: ['<!-- peers: written by `npm run bench -- peers --write` -->', '<!-- /peers -->'],
  growth: ['<!-- peers: written by `npm run bench -- peers --growth --write` -->', '<!-- /peers by size -->'],
} as const;

export interface Circumstances {
  readonly growth: boolean;
  readonly excluded: readonly string[];
  readonly runs: number;
  /** The load average when it began. */
  readonly load: number;
  readonly arguments: readonly string[];
}

/** The tables with all that is needed to repeat them. */
export function renderReport(compared: readonly Compared[], circumstances: Circumstances): string {
  const { growth, excluded } = circumstances;
  return [
    describe(circumstances),
    growth ? renderGrowth(compared) : renderRatios(compared),
    ...(excluded.length > 0 ? [`Left out: ${excluded.join('; ')}.`] : []),
  ].join('\n\n');
}

/** The document with the report between its marks. */
export function replaceReport(document: string, report: string, growth: boolean): string {
  const [begin, end] = marks[growth ? 'growth' : 'ratios'];
  const [start, stop] = [document.indexOf(begin), document.indexOf(end)];
  if (start === -1 || stop < start) throw new Error(`the document has no section between ${begin} and ${end}`);
  return `${document.slice(0, start + begin.length)}\n\n${report}\n\n${document.slice(stop)}`;
}

function describe({ growth, runs, load, arguments: args }: Circumstances): string {
  const date = new Date().toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric' });
  const all = cpus();
  const command = ['npm run bench -- peers', ...args.filter((argument) => argument !== '--write')].join(' ');
  const how = growth
    ? 'One run of each size; a program is left out of a size that would take it too long by what it took before.'
    : `Both sides take turns, ${runs} each; the best of each side counts, and the ratios of the single runs stand in ` +
      'brackets. More than 1 × is less for us.';
  return (
    `\`${command}\`, ${date}: ${all.length} × ${all[0]?.model.trim() || 'a processor without a name'}, ` +
    `Node ${process.versions.node}, Linux, load average ${load.toFixed(1)} at the start. ${how} Both sides come to the same outcome.`
  );
}
