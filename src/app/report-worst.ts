import type { ReportedResult } from './report-read.ts';
import { severityOrder } from './report-summary.ts';

/** As many as a terminal can show. */
const maxDetails = 200;

const resultOrder = ['fail', 'error', 'warn'];

interface WorstResults {
  add(results: readonly ReportedResult[]): void;
  /** By severity, then result, then place; no more than a terminal can show. */
  sorted(): readonly ReportedResult[];
}

/** Keeps the worst results that do not pass, whatever number is added. */
export function createWorstResults(): WorstResults {
  let kept: ReportedResult[] = [];
  const cut = () => {
    kept = kept.sort(compareResults).slice(0, maxDetails);
  };
  return {
    add(results) {
      for (const result of results) if (resultOrder.includes(result.result)) kept.push(result);
      if (kept.length > 4 * maxDetails) cut();
    },
    sorted() {
      cut();
      return kept;
    },
  };
}

function compareResults(a: ReportedResult, b: ReportedResult): number {
  return (
    severityOrder.indexOf(a.severity ?? 'none') - severityOrder.indexOf(b.severity ?? 'none') ||
    resultOrder.indexOf(a.result) - resultOrder.indexOf(b.result) ||
    compareText(placeOf(a), placeOf(b)) ||
    compareText(`${a.policy}/${a.rule}`, `${b.policy}/${b.rule}`)
  );
}

const placeOf = ({ resource: { namespace = '', kind, name } }: ReportedResult) => `${namespace}/${kind}/${name}`;
const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
