/** One measured quantity against what the design asks of it. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  /** One value per run. */
  readonly values: readonly number[];
  /** Which way is better; the best of the runs is the figure, for a busy machine can only make it worse. */
  readonly better: 'less' | 'more';
  readonly target?: number;
}

export function best({ values, better }: Figure): number {
  return better === 'less' ? Math.min(...values) : Math.max(...values);
}

/** A line each: the figure, every run's value, the target and whether it is met. */
export function renderFigures(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => [
    figure.name,
    `${show(best(figure))} ${figure.unit}`,
    renderTarget(figure),
    figure.values.map(show).join(' '),
  ]);
  const table = [['figure', 'best', 'target', 'runs'], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((row) => row[column]!.length)));
  return table
    .map((row) => `${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd())
    .join('\n');
}

function renderTarget(figure: Figure): string {
  const { target, better, unit } = figure;
  if (target === undefined) return '';
  const isMet = better === 'less' ? best(figure) <= target : best(figure) >= target;
  return `${better === 'less' ? '≤' : '≥'} ${show(target)} ${unit}: ${isMet ? 'met' : 'NOT MET'}`;
}

const show = (value: number) => (Math.abs(value) < 10 ? value.toFixed(2) : Math.round(value).toLocaleString('en'));
