import { describe, expect, it } from 'vitest';
import type { TestRow } from './run-tests.ts';
import { renderTestJunit, renderTestMarkdown } from './test-report.ts';

const row = (outcome: TestRow['outcome'], given: Partial<TestRow> = {}): TestRow => ({
  test: 't',
  file: 'a/kyverno-test.yaml',
  policy: 'p',
  rule: 'r',
  kind: 'Pod',
  resource: 'web',
  expected: 'pass',
  actual: outcome === 'passed' ? 'pass' : 'fail',
  outcome,
  reason: '',
  ...given,
});
const results = [
  {
    file: 'a/kyverno-test.yaml',
    rows: [row('passed'), row('failed', { reason: 'a <b> | "c"\nmore' }), row('skipped')],
  },
  { file: 'b/kyverno-test.yaml', rows: [], unreadable: 'b: not YAML' },
];

describe('test results', () => {
  it('are JUnit suites by file, with escaped reasons and unreadable files as errors', () => {
    const xml = renderTestJunit(results);
    expect(xml).toContain(
      '<testsuite name="a/kyverno-test.yaml" file="a/kyverno-test.yaml" tests="3" failures="1" errors="0" skipped="1">',
    );
    expect(xml).toContain('<failure message="expected pass, got fail">a &lt;b&gt; | &quot;c&quot;&#10;more</failure>');
    expect(xml).toContain('tests="1" failures="0" errors="1" skipped="0">');
    expect(xml).toContain('<error message="b: not YAML"/>');
    expect(xml.match(/<testcase /g)).toHaveLength(4);
  });

  it('are a Markdown table that no text can break', () => {
    const text = renderTestMarkdown(results, { tests: 2, rows: 4, passed: 1, failed: 2, skipped: 1 });
    expect(text.split('\n')[0]).toBe('**2 tests, 4 rows: 1 passed, 2 failed, 1 skipped**');
    const lines = text.trimEnd().split('\n').slice(2);
    expect(lines).toHaveLength(6);
    for (const line of lines) expect(line.replaceAll('\\|', '').split('|')).toHaveLength(8);
    expect(text).toContain('a \\<b\\> \\| "c" |');
    expect(renderTestMarkdown([], { tests: 1, rows: 1, passed: 1, failed: 0, skipped: 0 })).not.toContain('|');
  });
});
