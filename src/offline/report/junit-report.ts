import { entryResource, type ReportEntry } from './entry.ts';
import type { ReportSink, SinkOptions } from './sink.ts';

/** JUnit XML: a suite per resource, a case per rule. */
export function junitReport({ write }: SinkOptions): ReportSink {
  let hasBegun = false;
  const begin = () => {
    if (!hasBegun) write('<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="supercargo">\n');
    hasBegun = true;
  };
  return {
    add({ entries }) {
      begin();
      if (entries.length === 0) return;
      const [{ file }] = entries as readonly [ReportEntry];
      const name = escapeXml(entryResource(entries[0]!));
      write(`  <testsuite name="${name}" file="${escapeXml(file)}" ${counts(entries)}>\n`);
      for (const entry of entries) write(caseOf(entry));
      write('  </testsuite>\n');
    },
    end() {
      begin();
      write('</testsuites>\n');
    },
  };
}

function counts(entries: readonly ReportEntry[]): string {
  const count = (...wanted: string[]) => entries.filter(({ result }) => wanted.includes(result)).length;
  return `tests="${entries.length}" failures="${count('fail')}" errors="${count('error')}" skipped="${count('skip')}"`;
}

function caseOf(entry: ReportEntry): string {
  const { policy, rule, result, message, path = '' } = entry;
  const name = escapeXml(`${rule}: ${entryResource(entry)}`);
  const open = `    <testcase classname="${escapeXml(policy)}" name="${name}"`;
  if (result === 'pass') return `${open}/>\n`;
  const text = escapeXml(message);
  const detail = escapeXml(path === '' ? message : `${message}\nat ${path}`);
  const body: Readonly<Record<string, string>> = {
    fail: `<failure message="${text}">${detail}</failure>`,
    error: `<error message="${text}">${detail}</error>`,
    skip: `<skipped message="${text}"/>`,
    warn: `<system-out>${detail}</system-out>`,
  };
  return `${open}>\n      ${body[result]}\n    </testcase>\n`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
  '\t': '&#9;',
};

export function escapeXml(text: string): string {
  // XML 1.0 cannot represent most control characters, nor unpaired surrogates.
  return [...text]
    .filter((c) => (c >= ' ' || c in entities) && !/^[\ud800-\udfff\ufffe\uffff]$/.test(c))
    .map((c) => entities[c] ?? c)
    .join('');
}
