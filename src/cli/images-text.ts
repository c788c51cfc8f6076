import type { CargoReader, ImageAnswer, ImageRow, Overview } from '../app/index.ts';
import { cleanText, renderColumns } from './output.ts';

const short = (digest: string) => digest.replace(/^(sha256:.{12}).*$/, '$1');
/** Nothing for a kind that may not be listed: zero would be an answer. */
const countOf = (counts: ImageRow['jobs']) =>
  counts ? String(Object.values(counts).reduce((sum, one) => sum + one, 0)) : none;

/** As kubectl writes what is not there: a column keeps its place for awk. */
const none = '<none>';

/** One line for each image. */
export function renderImages(rows: readonly ImageRow[], isWide: boolean): string {
  const heads = ['IMAGE', 'WORKLOADS', 'PODS', 'COPY', 'JOBS', 'FAIL', 'WARN', 'PULL PROBLEM'];
  const wide = ['NAMESPACES', 'DIGEST', 'VULNERABILITIES', 'COMMIT'];
  return renderColumns(
    [...heads, ...(isWide ? wide : [])],
    rows.map((row) => {
      const { results, vulnerabilities: found, commit, digest, pullProblem = none } = row;
      const cells = [
        row.id,
        String(row.workloads),
        String(row.pods),
        row.copy,
        countOf(row.jobs),
        results ? String(results.fail + results.error) : none,
        results ? String(results.warn) : none,
        pullProblem,
      ];
      const more = [
        String(row.namespaces),
        digest === undefined ? none : short(digest),
        found ? `${found.critical}C ${found.high}H ${found.medium}M ${found.low}L` : none,
        commit?.sha.slice(0, 12) ?? none,
      ];
      return isWide ? [...cells, ...more] : cells;
    }),
  );
}

const section = (title: string, text: string) => (text === '' ? '' : `\n${title}\n${text}`);
const table = (heads: readonly string[], rows: readonly (readonly string[])[]) =>
  rows.length === 0 ? '' : renderColumns(heads, rows);

/** Everything of one image. */
export function renderImage(answer: ImageAnswer): string {
  const { image, life, runs, copies, jobs, results, detections } = answer;
  const moved = image.movedTo === undefined ? '' : ` (the tag of the source is ${image.movedTo} now)`;
  return [
    `${cleanText(`${image.id}  ${image.digest ?? ''}${moved}`)}\n`,
    section(
      'LIFE',
      table(
        ['STAGE', 'STATE', 'AT', 'DETAIL'],
        life.map(({ stage, state, at = '', detail }) => [stage, state, at, detail]),
      ),
    ),
    section(
      'RUNS',
      table(
        ['WORKLOAD', 'CONTAINER', 'WRITTEN AS', 'IMAGE', 'PODS'],
        runs.items.map(({ workload, container, writtenAs, image: now, pods }) => [
          `${workload.kind} ${workload.namespace}/${workload.name}`,
          container,
          writtenAs,
          now,
          String(pods.total),
        ]),
      ),
    ),
    section(
      'COPIES',
      table(
        ['COPY', 'STATE', 'MESSAGE'],
        copies.items.map(({ copy, state, message = '' }) => [copy, state, message]),
      ),
    ),
    section(
      'JOBS',
      table(
        ['JOB', 'STATE', 'MADE BY', 'ENDED'],
        jobs.items.map(({ namespace, name, state, madeBy = '', endedAt = '' }) => [
          `${namespace}/${name}`,
          state,
          madeBy,
          endedAt,
        ]),
      ),
    ),
    section(
      'RESULTS',
      table(
        ['RESULT', 'POLICY', 'RULE', 'RESOURCE', 'MESSAGE'],
        results.items.map(({ result, policy, rule, resource, message }) => [
          result,
          policy,
          rule,
          `${resource.kind} ${resource.namespace ?? ''}/${resource.name}`,
          message,
        ]),
      ),
    ),
    section(
      'COMMITS',
      table(
        ['POLICY', 'PHASE', 'COMMIT', 'REASON'],
        detections.items.map(({ policy, phase, commit = '', reason = '' }) => [
          `${policy.namespace}/${policy.name}`,
          phase,
          commit,
          reason,
        ]),
      ),
    ),
  ].join('');
}

/** Counts, and what needs attention. */
/** Counts, and what needs attention; wide, since when and because of which image. */
export function renderStatus(overview: Overview, isWide: boolean): string {
  const { images, copies, results, jobs, detections, attention } = overview;
  const counts = (of: object | undefined) => {
    if (!of) return 'not readable';
    const found = Object.entries(of).filter(([, count]) => count > 0);
    return found.length === 0 ? 'none' : found.map(([name, count]) => `${count} ${name}`).join(', ');
  };
  const head = renderColumns(
    ['WHAT', 'COUNT'],
    [
      ['images', images.total === 0 ? 'none' : `${images.total}, ${images.running} running`],
      ['copies', counts(copies)],
      ['results', counts(results)],
      ['jobs', counts(jobs)],
      ['detections', counts(detections)],
    ],
  );
  const heads = ['LEVEL', 'KIND', 'ABOUT', 'MESSAGE', ...(isWide ? ['SINCE', 'IMAGE'] : [])];
  const rows = attention.items.map(({ level, kind, subject, message, at = none, image = none }) =>
    isWide ? [level, kind, subject, message, at, image] : [level, kind, subject, message],
  );
  const rest = attention.total > rows.length ? `… ${attention.total - rows.length} more\n` : '';
  return `${head}\n${rows.length === 0 ? 'Nothing needs attention.\n' : `${renderColumns(heads, rows)}${rest}`}`;
}

type ObjectTree = NonNullable<ReturnType<CargoReader['tree']>>;
const signs = { yes: ['green', '✓ '], no: ['red', '✗ '], off: ['gray', '– '], note: ['bold', ''] } as const;
type Paint = (style: (typeof signs)[keyof typeof signs][0], text: string) => string;

/** An object and what belongs to it, with the branches of a tree. */
export function renderObjectTree({ text, children }: ObjectTree, paint: Paint): string {
  return `${paint('bold', cleanText(text))}\n${renderBranches(children, paint, '')}`;
}

function renderBranches(nodes: readonly ObjectTree[], paint: Paint, before: string): string {
  return nodes
    .map(({ state, text, children }, index) => {
      const isLast = index === nodes.length - 1;
      const [style, sign] = signs[state];
      const line = `${before}${isLast ? '└── ' : '├── '}${sign && paint(style, sign)}${cleanText(text)}\n`;
      return line + renderBranches(children, paint, `${before}${isLast ? '    ' : '│   '}`);
    })
    .join('');
}
