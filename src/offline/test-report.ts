import { escapeXml } from './report/index.ts';
import type { TestRow, TestSummary } from './run-tests.ts';

/** The rows of one test file. A file that cannot be read has no rows, but a reason. */
export interface TestFileResult {
  readonly file: string;
  readonly rows: readonly TestRow[];
  readonly unreadable?: string;
}

/** JUnit XML: a suite for each test file, a case for each row. */
export function renderTestJunit(results: readonly TestFileResult[]): string {
  const suites = results.map(({ file, rows, unreadable }) => {
    const count = (outcome: TestRow['outcome']) => rows.filter((row) => row.outcome === outcome).length;
    const [tests, errors] = unreadable === undefined ? [rows.length, 0] : [1, 1];
    const name = escapeXml(file);
    const cases =
      unreadable === undefined
        ? rows.map(renderCase)
        : [
            `    <testcase classname="${name}" name="the test file">\n      <error message="${escapeXml(unreadable)}"/>\n    </testcase>\n`,
          ];
    return `  <testsuite name="${name}" file="${name}" tests="${tests}" failures="${count('failed')}" errors="${errors}" skipped="${count('skipped')}">\n${cases.join('')}  </testsuite>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="supercargo test">\n${suites.join('')}</testsuites>\n`;
}

function renderCase(row: TestRow): string {
  const open = `    <testcase classname="${escapeXml(row.policy)}" name="${escapeXml(titleOf(row))}"`;
  if (row.outcome === 'passed') return `${open}/>\n`;
  const reason = escapeXml(row.reason);
  const body =
    row.outcome === 'skipped'
      ? `<skipped message="${reason}"/>`
      : `<failure message="${escapeXml(`expected ${row.expected}, got ${row.actual}`)}">${reason}</failure>`;
  return `${open}>\n      ${body}\n    </testcase>\n`;
}

/** Markdown for a comment or a job summary: the totals, then a table of the rows. */
export function renderTestMarkdown(results: readonly TestFileResult[], totals: TestSummary): string {
  const { tests, rows, passed, failed, skipped } = totals;
  const lines = results.flatMap(({ file, rows: own, unreadable }) =>
    unreadable === undefined
      ? own.map((row) => [row.outcome, file, titleOf(row), row.expected, row.actual, firstLine(row.reason)])
      : [['failed', file, 'the test file', '', 'unreadable', firstLine(unreadable)]],
  );
  const table = [
    ['Result', 'Test', 'Row', 'Expected', 'Actual', 'Why'],
    ['---', '---', '---', '---', '---', '---'],
    ...lines.map((cells) => cells.map(escapeCell)),
  ];
  const head = `**${tests} tests, ${rows} rows: ${passed} passed, ${failed} failed, ${skipped} skipped**\n`;
  return lines.length === 0 ? head : `${head}\n${table.map((cells) => `| ${cells.join(' | ')} |\n`).join('')}`;
}

const titleOf = ({ policy, rule, kind, resource }: TestRow) =>
  `${[policy, rule].filter(Boolean).join(' / ')} on ${[kind, resource].filter(Boolean).join(' ')}`;

const firstLine = (text: string) => text.split('\n')[0]!;

/** Text of a policy or a resource must not end the cell, nor be a link, an image or HTML. */
const escapeCell = (text: string) =>
  text.replaceAll(/\p{Cc}+/gu, ' ').replaceAll(/[\\`*_{}[\]<>()#!|]/g, (found) => `\\${found}`);
