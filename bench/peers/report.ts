import { cpus } from 'node:os';
import type { Compared } from './comparison.ts';
import { renderGrowth, renderRatios } from './table.ts';

const [begin, end] = ['<!-- peers: written by `npm run bench -- peers --write` -->', '<!-- /peers -->'];

export interface Circumstances {
  readonly leftOut: readonly string[];
  readonly runs: number;
  readonly arguments: readonly string[];
}

/** The tables with all that is needed to repeat them. */
export function renderReport(compared: readonly Compared[], circumstances: Circumstances): string {
  const [ratios, growth] = [false, true].map((grown) =>
    compared.filter(({ work }) => (work.growth !== undefined) === grown),
  );
  const parts = [
    describe(circumstances),
    ...(ratios!.length > 0 ? [renderRatios(ratios!)] : []),
    ...(growth!.length > 0
      ? ['By size, one run each; a program is left out of a size that would take it too long:', renderGrowth(growth!)]
      : []),
    ...(circumstances.leftOut.length > 0 ? [`Left out: ${circumstances.leftOut.join('; ')}.`] : []),
  ];
  return parts.join('\n\n');
}

/** The document with the report between its marks. */
export function replaceReport(document: string, report: string): string {
  const [start, stop] = [document.indexOf(begin), document.indexOf(end)];
  if (start === -1 || stop < start) throw new Error(`the document has no section between ${begin} and ${end}`);
  return `${document.slice(0, start + begin.length)}\n\n${report}\n\n${document.slice(stop)}`;
}

function describe({ runs, arguments: args }: Circumstances): string {
  const date = new Date().toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric' });
  const all = cpus();
  const command = ['npm run bench -- peers', ...args.filter((argument) => argument !== '--write')].join(' ');
  return (
    `\`${command}\`, ${date}: ${all.length} × ${all[0]?.model.trim() || 'a processor without a name'}, ` +
    `Node ${process.versions.node}, Linux. Both sides take turns, ${runs} each; the best of each side counts, and the ` +
    'ratios of the single runs stand in brackets. More than 1 × is less for us. Both sides come to the same outcome.'
  );
}
