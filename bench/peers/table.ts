import type { Compared, Turn } from './comparison.ts';

type Measure = 'cpuMs' | 'wallMs' | 'peakMb';

const headings = [
  'work',
  'compared with',
  'CPU: ours, theirs',
  'times less (runs)',
  'wall clock',
  'times less (runs)',
  'peak memory',
  'times less',
];

/** A Markdown table with CPU time first: the best of each side, their ratio, and the ratios of the single runs. */
export function renderRatios(compared: readonly Compared[]): string {
  const rows = compared.map(({ work, ours, theirs }) => [
    work.title,
    work.peer,
    ...columns('cpuMs', ours, theirs, true),
    ...columns('wallMs', ours, theirs, true),
    ...columns('peakMb', ours, theirs, false),
  ]);
  return renderTable([headings, ...rows]);
}

/** CPU time and peak memory by size: a line for each program, a column for each size. */
export function renderGrowth(compared: readonly Compared[]): string {
  return [...new Set(compared.map(({ work }) => work.growth!.of))]
    .map((of) =>
      renderSizes(
        of,
        compared.filter(({ work }) => work.growth!.of === of),
      ),
    )
    .join('\n\n');
}

function renderSizes(of: string, compared: readonly Compared[]): string {
  const sizes = [...new Set(compared.map(({ work }) => work.growth!.size))];
  const line = (name: string, cell: (size: string) => string) => [name, ...sizes.map(cell)];
  const cellOf = (turns: readonly Turn[], measure: Measure) =>
    turns.length === 0 ? 'not run' : show(measure, least(turns, measure));
  const measures = [
    ['CPU', 'cpuMs'],
    ['peak memory', 'peakMb'],
  ] as const;
  const rows = measures
    .filter(([, measure]) => compared[0]!.ours[0]![measure] !== undefined)
    .flatMap(([name, measure]) => [
      line(`${name}, supercargo`, (size) =>
        cellOf(
          compared.filter(({ work }) => work.growth!.size === size).flatMap(({ ours }) => ours),
          measure,
        ),
      ),
      ...[...new Set(compared.map(({ work }) => work.peer))].map((peer) =>
        line(`${name}, ${peer}`, (size) =>
          cellOf(compared.find(({ work }) => work.peer === peer && work.growth!.size === size)!.theirs, measure),
        ),
      ),
    ]);
  return renderTable([line(of, (size) => size), ...rows]);
}

const least = (turns: readonly Turn[], measure: Measure) => Math.min(...turns.map((turn) => turn[measure] ?? 0));

function columns(
  measure: Measure,
  ours: readonly Turn[],
  theirs: readonly Turn[],
  withRuns: boolean,
): readonly [string, string] {
  if (ours.some((turn) => turn[measure] === undefined)) return ['', ''];
  const [our, their] = [least(ours, measure), least(theirs, measure)];
  // The quotient of the best of each, not the best quotient: a busy moment of theirs would flatter us.
  const ratios = theirs.map((turn, run) => turn[measure]! / ours[run]![measure]!);
  const spread = `${showRatio(Math.min(...ratios))} to ${showRatio(Math.max(...ratios))}`;
  return [
    `${show(measure, our)}, ${show(measure, their)}`,
    `${showRatio(their / our)} ×${withRuns ? ` (${spread})` : ''}`,
  ];
}

function renderTable(rows: readonly (readonly string[])[]): string {
  const [head = [], ...body] = rows;
  return [head, head.map(() => '---'), ...body].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

function showTime(ms: number): string {
  if (ms >= 1000) return `${digits(ms / 1000)} s`;
  if (ms >= 1) return `${digits(ms)} ms`;
  return ms >= 1e-3 ? `${digits(ms * 1e3)} µs` : `${digits(ms * 1e6)} ns`;
}

const show = (measure: Measure, value: number) => (measure === 'peakMb' ? showMb(value) : showTime(value));
const showMb = (mb: number) => `${Math.round(mb).toLocaleString('en')} MB`;
const showRatio = (ratio: number) => (ratio < 1 ? ratio.toFixed(2) : digits(ratio));
const digits = (value: number) => (value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en'));
