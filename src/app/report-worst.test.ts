import { describe, expect, it } from 'vitest';
import type { ReportedResult } from './report-read.ts';
import { createWorstResults } from './report-worst.ts';

const result = (name: string, given: Partial<ReportedResult> = {}): ReportedResult => ({
  source: 'test',
  policy: 'p',
  rule: 'r',
  resource: { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name },
  result: 'fail',
  message: '',
  scored: true,
  ...given,
});

describe('the worst results', () => {
  it('are ordered by severity, then by result, then by place', () => {
    const worst = createWorstResults();
    worst.add([
      result('none'),
      result('low', { severity: 'low' }),
      result('b', { severity: 'high' }),
      result('a', { severity: 'high' }),
      result('warned', { severity: 'critical', result: 'warn' }),
      result('critical', { severity: 'critical' }),
      result('passes', { severity: 'critical', result: 'pass' }),
    ]);
    const names = worst.sorted().map(({ resource }) => resource.name);
    expect(names).toEqual(['critical', 'warned', 'a', 'b', 'low', 'none']);
  });

  it('are as many as a terminal can show, wherever in the reports they are', () => {
    const worst = createWorstResults();
    for (let page = 0; page < 50; page++)
      worst.add(Array.from({ length: 100 }, (_, i) => result(`${page}-${i}`, { severity: 'low' })));
    worst.add([result('last', { severity: 'critical' })]);
    expect(worst.sorted()).toHaveLength(200);
    expect(worst.sorted()[0]?.resource.name).toBe('last');
  });
});
