import { describe, expect, it } from 'vitest';
import { parseYaml, parseYamlDocuments } from '../../base/index.ts';
import { emptySummary, type Finding, type ReportEntry, reportFormats, type SinkOptions } from './index.ts';

const entry = (name: string, more: Partial<ReportEntry> = {}): ReportEntry => ({
  source: 'kyverno',
  policy: 'p',
  rule: 'r',
  resource: { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name },
  result: 'fail',
  message: 'no latest',
  action: 'Enforce',
  scored: true,
  file: 'dir/my pods.yaml',
  line: 7,
  ...more,
});

const finding = (...entries: readonly ReportEntry[]): Finding => ({
  summary: emptySummary(),
  isBlocked: false,
  entries,
});

function render(format: string, findings: readonly Finding[], options: Partial<SinkOptions> = {}): string {
  let text = '';
  const sink = reportFormats[format]!.open({
    write: (part) => {
      text += part;
    },
    now: 1_700_000_000_500,
    version: '1.2.3',
    hasColours: false,
    width: undefined,
    ...options,
  });
  for (const each of findings) sink.add(each);
  const summary = { ...emptySummary(), pass: 12_345, fail: 2 };
  sink.end({ policies: 1, rules: 3, resources: 10_000, summary, notSupported: [] });
  return text;
}

const two = [finding(entry('a')), finding(entry('long-name', { result: 'warn', message: 'several\n  lines' }))];

describe('the table', () => {
  it('has a line per result, and totals', () => {
    expect(render('table', two).split('\n')).toEqual([
      'RESOURCE            POLICY  RULE  RESULT  MESSAGE',
      'Pod/shop/a          p       r     fail    no latest',
      'Pod/shop/long-name  p       r     warn    several lines',
      '',
      '1 policy, 3 rules, 10,000 resources',
      'pass: 12345, fail: 2, warn: 0, error: 0, skip: 0',
      '',
    ]);
  });

  it('wraps messages below themselves on a terminal, and below the row on a narrow one', () => {
    const long = [finding(entry('a', { message: 'the tag latest means something else tomorrow' }))];
    expect(render('table', long, { width: 66 }).split('\n').slice(1, 4)).toEqual([
      'Pod/shop/a  p       r     fail    the tag latest means something',
      '                                  else tomorrow',
      '',
    ]);
    expect(render('table', long, { width: 40 }).split('\n').slice(1, 3)).toEqual([
      'Pod/shop/a  p       r     fail  ',
      '    the tag latest means something else',
    ]);
  });

  it('has colours on request, and no header without results', () => {
    expect(render('table', two, { hasColours: true })).toContain('\u001b[31mfail\u001b[39m');
    expect(render('table', [])).toMatch(/^1 policy/);
  });

  it('buffers a limited number of rows', () => {
    const written: string[] = [];
    const sink = reportFormats['table']!.open({
      write: (text) => void written.push(text),
      now: 0,
      version: '',
      hasColours: false,
      width: undefined,
    });
    for (let i = 0; i < 600; i++) sink.add(finding(entry(`pod-${i}`)));
    expect(written.length).toBe(601);
  });
});

describe('reports for programs', () => {
  it('are JSON and YAML of the same', () => {
    const json = JSON.parse(render('json', two));
    expect(json).toMatchObject({ results: [{ policy: 'p', line: 7 }, { result: 'warn' }], summary: { fail: 2 } });
    expect(parseYaml(render('yaml', two))).toEqual(json);
    expect(JSON.parse(render('json', []))).toMatchObject({ results: [] });
    expect(parseYaml(render('yaml', []))).toMatchObject({ results: [] });
  });

  it('are SARIF with the place of each resource', () => {
    const passed = finding(entry('b', { result: 'pass' }));
    const { version, runs } = JSON.parse(render('sarif', [passed, ...two]));
    expect(version).toBe('2.1.0');
    expect(runs[0].tool.driver).toMatchObject({ name: 'supercargo', version: '1.2.3', rules: [{ id: 'p/r' }] });
    expect(runs[0].results).toMatchObject([
      {
        ruleId: 'p/r',
        ruleIndex: 0,
        level: 'error',
        locations: [
          { physicalLocation: { artifactLocation: { uri: 'dir/my%20pods.yaml' }, region: { startLine: 7 } } },
        ],
      },
      { level: 'warning' },
    ]);
    expect(JSON.parse(render('sarif', []))).toMatchObject({ runs: [{ results: [] }] });
  });

  it('are SARIF with the line of the field, the level of the severity and the title of the policy', () => {
    const severe = (severity: string, more: Partial<ReportEntry> = {}) =>
      finding(entry('a', { rule: severity, severity, action: 'Audit', ...more }));
    const findings = [
      severe('high', { fieldLine: 12, title: 'No latest', description: 'Tags move.' }),
      severe('medium'),
      severe('low', { action: 'Enforce' }),
      severe('critical', { result: 'warn' }),
    ];
    const { runs } = JSON.parse(render('sarif', findings));
    expect(runs[0].results.map(({ level }: { level: string }) => level)).toEqual([
      'error',
      'warning',
      'note',
      'warning',
    ]);
    expect(runs[0].results[0].locations[0].physicalLocation.region).toEqual({ startLine: 12 });
    expect(runs[0].tool.driver.rules[0]).toMatchObject({
      shortDescription: { text: 'No latest: high' },
      fullDescription: { text: 'Tags move.' },
      defaultConfiguration: { level: 'error' },
      properties: { 'security-severity': '8.0' },
    });
  });

  it('are SARIF with the name of the policy for rules without one', () => {
    const { runs } = JSON.parse(render('sarif', [finding(entry('a', { rule: '' }))]));
    expect(runs[0].results[0].ruleId).toBe('p');
    expect(runs[0].tool.driver.rules[0]).toMatchObject({ id: 'p', name: 'p', shortDescription: { text: 'policy p' } });
  });

  it('are SARIF without a line for resources without a file', () => {
    const { line: _, ...cluster } = entry('a', { file: 'shop/Pod/a' });
    const { runs } = JSON.parse(render('sarif', [finding(cluster)]));
    expect(runs[0].results[0].locations[0].physicalLocation).toEqual({ artifactLocation: { uri: 'shop/Pod/a' } });
  });

  it('are valid JUnit for any message', () => {
    const nasty = entry('a', { message: '<&"> \u0000\ud800 ü\nline' });
    const text = render('junit', [finding(nasty, entry('a', { result: 'skip' }), entry('a', { result: 'pass' }))]);
    expect(text).toContain(
      '<testsuite name="Pod/shop/a" file="dir/my pods.yaml" tests="3" failures="1" errors="0" skipped="1">',
    );
    expect(text).toContain('<failure message="&lt;&amp;&quot;&gt;  ü&#10;line">');
    expect(text.match(/<testcase /g)).toHaveLength(3);
    expect(render('junit', [])).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="supercargo">\n</testsuites>\n',
    );
  });

  it('are PolicyReports by namespace', () => {
    const cluster = entry('n', { resource: { apiVersion: 'v1', kind: 'Namespace', name: 'n' } });
    const reports = parseYamlDocuments(render('policyreport', [finding(cluster), ...two])).map(({ value }) => value);
    expect(reports).toMatchObject([
      { kind: 'ClusterPolicyReport', summary: { fail: 1 } },
      {
        kind: 'PolicyReport',
        metadata: { namespace: 'shop' },
        summary: { fail: 1, warn: 1 },
        results: [{ source: 'kyverno', timestamp: { seconds: 1_700_000_000, nanos: 0 } }, {}],
      },
    ]);
  });

  it('are resources, to be applied', () => {
    const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } };
    const text = render('resources', [{ ...finding(), object, generated: [{ ...object, kind: 'ConfigMap' }] }]);
    expect(parseYamlDocuments(text).map(({ value }) => value)).toEqual([object, { ...object, kind: 'ConfigMap' }]);
  });
});
