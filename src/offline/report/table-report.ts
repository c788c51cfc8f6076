import { entryResource, type ReportEntry, statuses } from './entry.ts';
import { type Paint, painter, statusColours } from './paint.ts';
import type { ReportSink, ReportTotals, SinkOptions } from './sink.ts';

const titles = ['RESOURCE', 'POLICY', 'RULE', 'RESULT', 'MESSAGE'] as const;

/** The number of rows that determine the column widths; later rows are written as they come. */
const measuredRows = 500;
/** The minimum width of a message. */
const minMessageWidth = 30;

/** A table: one line per result, and totals. Without a terminal every row is one line. */
export function tableReport({ write, hasColours, width }: SinkOptions): ReportSink {
  const paint = painter(hasColours);
  const waiting: ReportEntry[] = [];
  let widths: readonly number[] | undefined;
  const begin = () => {
    const rows = [titles.slice(0, 4), ...waiting.map(cellsOf)];
    const measured = titles.slice(0, 4).map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
    if (waiting.length > 0) write(`${paint('bold', line(titles, measured).trimEnd())}\n`);
    for (const entry of waiting) write(renderRow(entry, measured, width, paint));
    return measured;
  };
  return {
    add({ entries }) {
      for (const entry of entries) {
        if (widths) write(renderRow(entry, widths, width, paint));
        else if (waiting.push(entry) === measuredRows) widths = begin();
      }
    },
    end(totals) {
      widths ??= begin();
      write(`${waiting.length > 0 ? '\n' : ''}${renderTotals(totals, paint)}`);
    },
  };
}

export function renderTotals({ policies, rules, resources, summary }: ReportTotals, paint: Paint): string {
  const counts = statuses.map((status) => {
    const text = `${status}: ${summary[status]}`;
    return summary[status] > 0 ? paint(statusColours[status], text) : text;
  });
  const amount = (count: number, one: string, many: string) => `${grouped(count)} ${count === 1 ? one : many}`;
  const what = [
    amount(policies, 'policy', 'policies'),
    amount(rules, 'rule', 'rules'),
    amount(resources, 'resource', 'resources'),
  ];
  return `${what.join(', ')}\n${counts.join(', ')}\n`;
}

/** `10,000`. Loading the locale data for this would take longer than everything else here. */
const grouped = (count: number) => String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',');

const cellsOf = (entry: ReportEntry) => [entryResource(entry), entry.policy, entry.rule, entry.result];

const line = (cells: readonly string[], widths: readonly number[]) =>
  cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ');

function renderRow(entry: ReportEntry, widths: readonly number[], width: number | undefined, paint: Paint): string {
  const cells = cellsOf(entry);
  const shown = [...cells.slice(0, 3).map((cell, i) => cell.padEnd(widths[i]!)), statusCell(entry, widths[3]!, paint)];
  const message = messageOf(entry);
  const start = widths.reduce((sum, each) => sum + each + 2, 0);
  const head = shown.join('  ');
  if (message === '') return `${head.trimEnd()}\n`;
  if (width === undefined || start + message.length <= width) return `${head}  ${message}\n`;
  const isNarrow = width - start < minMessageWidth;
  const indent = ' '.repeat(isNarrow ? 4 : start);
  const lines = wrap(message, Math.max(width - indent.length, minMessageWidth));
  return isNarrow
    ? `${head}\n${lines.map((text) => `${indent}${text}\n`).join('')}`
    : `${head}  ${lines.join(`\n${indent}`)}\n`;
}

const statusCell = ({ result }: ReportEntry, width: number, paint: Paint) =>
  `${paint(statusColours[result], result)}${' '.repeat(Math.max(0, width - result.length))}`;

/** A message does not show the effect of a mutation. */
function messageOf({ message, generated, targets }: ReportEntry): string {
  const made = [...(generated ?? []), ...(targets ?? [])].map(
    ({ kind, metadata: { namespace, name = '' } }) => `${kind}/${namespace ? `${namespace}/` : ''}${name}`,
  );
  const verb = generated ? 'generated' : 'mutated';
  const text = made.length > 0 ? `${message === '' ? '' : `${message}: `}${verb} ${made.join(', ')}` : message;
  return text.replaceAll(/\s+/g, ' ').trim();
}

function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let current = '';
  for (const word of text.split(' ')) {
    if (current !== '' && current.length + 1 + word.length > width) {
      lines.push(current);
      current = word;
    } else current = current === '' ? word : `${current} ${word}`;
  }
  return [...lines, current];
}
