import { rfc3339 } from '../base/index.ts';
import { reportedStatuses } from '../report/index.ts';
import { page, script, style } from './report-html-parts.ts';
import type { ReportedResult } from './report-read.ts';
import { groupResults, summarise } from './report-summary.ts';

interface HtmlOptions {
  /** The scope for the reader: cluster and namespace. */
  readonly subject: string;
  readonly now: number;
  readonly version: string;
}

/** More rows are too slow in a browser. Failures come first, so the omitted rows have passed. */
const maxRows = 20_000;

/** One self-contained page to read, sort, search and share. */
export function renderHtml(results: readonly ReportedResult[], { subject, now, version }: HtmlOptions): string {
  const summary = summarise(results);
  const order = ['fail', 'error', 'warn', 'skip', 'pass'];
  const rows = [...results]
    .sort((a, b) => order.indexOf(a.result) - order.indexOf(b.result) || compare(a.policy, b.policy))
    .slice(0, maxRows);
  const tiles = reportedStatuses
    .map(
      (status) =>
        `<button class="tile ${status}" data-result="${status}"><b>${summary[status].toLocaleString('en')}</b> ${status}</button>`,
    )
    .join('\n');
  const policies = groupResults(results, 'policy')
    .map(
      ({ key, ...counts }) =>
        `<tr><td>${escapeHtml(key)}</td>${reportedStatuses.map((s) => `<td class="n">${counts[s]}</td>`).join('')}</tr>`,
    )
    .join('\n');
  const note =
    rows.length < results.length
      ? `<p class="note">The first ${rows.length.toLocaleString('en')} of ${results.length.toLocaleString('en')} results; what fails comes first.</p>`
      : '';
  return page({
    title: `Policy report: ${escapeHtml(subject)}`,
    style,
    script,
    body: `
<header><h1>Policy report</h1><p>${escapeHtml(subject)} · ${rfc3339(now).replace('T', ' ').replace('Z', ' UTC')} · supercargo ${escapeHtml(version)}</p></header>
<section class="tiles">${tiles}</section>
<section><h2>Policies</h2>
<table class="sortable"><thead><tr><th>Policy</th>${reportedStatuses.map((s) => `<th class="n">${s}</th>`).join('')}</tr></thead><tbody>
${policies}
</tbody></table></section>
<section><h2>Results</h2>
<p><input id="search" type="search" placeholder="Search policy, rule, resource, message" aria-label="Search results"> <span id="shown"></span></p>
${note}<table id="results" class="sortable"><thead><tr><th>Result</th><th>Severity</th><th>Policy</th><th>Rule</th><th>Namespace</th><th>Resource</th><th>Message</th></tr></thead><tbody>
${rows.map(rowOf).join('\n')}
</tbody></table></section>`,
  });
}

function rowOf({ result, severity = '', policy, rule, resource, message }: ReportedResult): string {
  const cells = [severity, policy, rule, resource.namespace ?? '', `${resource.kind}/${resource.name}`, message];
  const rest = cells.map((cell) => `<td>${escapeHtml(cell)}</td>`).join('');
  return `<tr data-result="${result}"><td><span class="badge ${result}">${result}</span></td>${rest}</tr>`;
}

function escapeHtml(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replace(/[&<>"']/g, (c) => entities[c]!);
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
