import type { ImageAnswer, ImageRow, Overview } from '../app/index.ts';
import { cleanText, renderColumns } from './output.ts';

const short = (digest = '') => digest.replace(/^(sha256:.{12}).*$/, '$1');
const countOf = (counts: ImageRow['jobs']) => (counts ? Object.values(counts).reduce((sum, one) => sum + one, 0) : 0);

/** One line for each image. */
export function renderImages(rows: readonly ImageRow[], isWide: boolean): string {
  const heads = ['IMAGE', 'WORKLOADS', 'PODS', 'COPY', 'JOBS', 'FAIL', 'WARN', 'PULL'];
  const wide = ['NAMESPACES', 'DIGEST', 'VULNERABILITIES', 'COMMIT'];
  return renderColumns(
    [...heads, ...(isWide ? wide : [])],
    rows.map((row) => {
      const { results, vulnerabilities: found, commit } = row;
      const cells = [
        row.id,
        String(row.workloads),
        String(row.pods),
        row.copy,
        String(countOf(row.jobs)),
        String(results ? results.fail + results.error : 0),
        String(results?.warn ?? 0),
        row.pullProblem ?? '',
      ];
      const more = [
        String(row.namespaces),
        short(row.digest),
        found ? `${found.critical}C ${found.high}H ${found.medium}M ${found.low}L` : '',
        commit?.sha.slice(0, 12) ?? '',
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
    `${cleanText(image.id)}  ${image.digest ?? ''}${moved}`.trimEnd(),
    '\n',
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
export function renderStatus({ images, copies, results, jobs, detections, attention }: Overview): string {
  const counts = (of: object | undefined) =>
    of
      ? Object.entries(of)
          .map(([name, count]) => `${count} ${name}`)
          .join(', ')
      : 'not readable';
  const head = renderColumns(
    ['WHAT', 'COUNT'],
    [
      ['images', `${images.total}, ${images.running} running`],
      ['copies', counts(copies)],
      ['results', counts(results)],
      ['jobs', counts(jobs)],
      ['detections', counts(detections)],
    ],
  );
  const rows = attention.items.map(({ level, kind, subject, message }) => [level, kind, subject, message]);
  const rest = attention.total > rows.length ? `… ${attention.total - rows.length} more\n` : '';
  return `${head}\n${rows.length === 0 ? 'Nothing needs attention.\n' : `${renderColumns(['LEVEL', 'KIND', 'ABOUT', 'MESSAGE'], rows)}${rest}`}`;
}
