import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../../src/cli/index.ts';
import type { KubeObject } from '../../src/object/index.ts';
import { startEmbedded } from '../support/embedded-cluster.ts';
import type { Cluster } from '../support/real-cluster.ts';
import { eventually } from '../support/wait.ts';
import { createReportFixture, type ReportFixture, types } from './report-fixture.ts';

const result = (policy: string, of: string, name: string, rest: object = {}) => ({
  source: 'kyverno',
  policy,
  rule: 'check',
  result: of,
  scored: true,
  message: `<b>${policy}</b> & co`,
  resources: [{ apiVersion: 'v1', kind: 'Pod', namespace: 'default', name }],
  ...rest,
});
const report = (name: string, results: readonly object[], rest: object = {}): KubeObject => ({
  apiVersion: 'wgpolicyk8s.io/v1alpha2',
  kind: 'PolicyReport',
  metadata: { name, namespace: 'default' },
  results,
  ...rest,
});

describe('supercargo report', () => {
  let cluster: Cluster;
  let fixture: ReportFixture;
  beforeAll(async () => {
    cluster = await startEmbedded({ simulation: false });
    fixture = await createReportFixture(cluster);
    await fixture.put(
      types.reports,
      report('one', [
        result('a', 'pass', 'web'),
        result('b', 'fail', 'web', { severity: 'high' }),
        result('b', 'pass', 'db'),
      ]),
    );
    // As other tools write them: the resource is named once, in the scope.
    const { resources: _, ...scoped } = result('c', 'warn', 'db', { severity: 'low' });
    await fixture.put(
      types.reports,
      report('two', [scoped], { scope: { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'db' } }),
    );
    await fixture.put(types.clusterReports, {
      ...report('three', [
        { ...result('d', 'error', ''), resources: [{ apiVersion: 'v1', kind: 'Namespace', name: 'apps' }] },
      ]),
      kind: 'ClusterPolicyReport',
      metadata: { name: 'three' },
    });
  });
  afterAll(async () => {
    await fixture?.close();
    await cluster?.stop();
  });

  const run = async (args: readonly string[], signal = new AbortController().signal) => {
    const [out, err]: [string[], string[]] = [[], []];
    const code = await runCli(
      ['report', '--kubeconfig', cluster.kubeconfigPath, ...args],
      {
        env: {},
        stdout: { write: (text) => out.push(text) },
        stderr: { write: (text) => err.push(text) },
        temporaryDir: '/nonexistent',
        signal,
        uptimeMs: () => 0,
      },
      '0.0.0',
    );
    return { code, stdout: out.join(''), stderr: err.join(''), out };
  };
  const rows = (table: string) =>
    table
      .split('\n\n')[0]!
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/));

  it('counts by policy, the worst first', async () => {
    const { code, stdout } = await run(['-A']);
    expect(code).toBe(0);
    expect(rows(stdout)).toEqual([
      ['POLICY', 'PASS', 'FAIL', 'WARN', 'ERROR', 'SKIP'],
      ['b', '1', '1', '0', '0', '0'],
      ['d', '0', '0', '0', '1', '0'],
      ['c', '0', '0', '1', '0', '0'],
      ['a', '1', '0', '0', '0', '0'],
      ['total', '2', '1', '1', '1', '0'],
    ]);
  });

  it('counts by namespace, severity and resource', async () => {
    const keys = async (by: string) => rows((await run(['-A', '--by', by])).stdout).map(([key]) => key);
    expect(await keys('namespace')).toEqual(['NAMESPACE', 'default', '(cluster)', 'total']);
    expect(await keys('severity')).toEqual(['SEVERITY', 'high', 'low', 'none', 'total']);
    expect(await keys('resource')).toEqual([
      'RESOURCE',
      'Namespace/apps',
      'Pod/default/web',
      'Pod/default/db',
      'total',
    ]);
  });

  it('reads one namespace by default, and filters', async () => {
    expect(rows((await run([])).stdout).map(([key]) => key)).not.toContain('d');
    expect(rows((await run(['-n', 'default', '--result', 'fail,warn', '--severity', 'HIGH'])).stdout)[1]).toEqual([
      'b',
      '0',
      '1',
      '0',
      '0',
      '0',
    ]);
    expect((await run(['-n', 'elsewhere'])).stdout).toBe(
      'No results found in the namespace elsewhere; -A looks at all of them.\n',
    );
    expect((await run(['-A', '-n', 'default'])).stderr).toContain('choose one of');
  });

  it('gives JSON, SARIF and JUnit', async () => {
    const json = JSON.parse((await run(['-A', '-o', 'json'])).stdout);
    expect(json.summary).toEqual({ pass: 2, fail: 1, warn: 1, error: 1, skip: 0 });
    expect(json.results).toHaveLength(5);
    const sarif = JSON.parse((await run(['-A', '-o', 'sarif'])).stdout);
    expect(sarif.runs[0].results.map(({ ruleId }: { ruleId: string }) => ruleId).sort()).toEqual([
      'b/check',
      'c/check',
      'd/check',
    ]);
    const junit = (await run(['-A', '-o', 'junit'])).stdout;
    expect(junit.match(/<testcase /g)).toHaveLength(5);
    expect(junit.match(/<failure /g)).toHaveLength(1);
    // One for each resource of a report: reports are written as they are read.
    expect(junit.match(/<testsuite /g)).toHaveLength(4);
  });

  it.each(['json', 'sarif', 'junit'])('writes %s report by report, never all at once', async (format) => {
    const { out } = await run(['-A', '-o', format]);
    // Three reports with something to say, and the end.
    expect(out).toHaveLength(4);
  });

  it('lists what does not pass with its messages, the most severe first, in one line each', async () => {
    const lists = async (...args: string[]) => rows((await run(['-A', ...args])).stdout.split('\n\n')[1] ?? '');
    expect(await lists()).toEqual([
      ['RESULT', 'SEVERITY', 'RESOURCE', 'RULE', 'MESSAGE'],
      ['fail', 'high', 'Pod/default/web', 'b/check', '<b>b</b> & co'],
      ['warn', 'low', 'Pod/default/db', 'c/check', expect.any(String)],
      ['error', 'Namespace/apps', 'd/check', expect.any(String)],
    ]);
    for (const args of [['--details'], ['-o', 'wide']]) expect(await lists(...args)).toHaveLength(4);
    expect((await run(['-A', '--summary'])).stdout).not.toContain('\n\n');
  });

  it('ends with exit code 1 for failures if it is asked to', async () => {
    expect((await run(['-A', '--exit-code'])).code).toBe(1);
    expect((await run(['-A', '--exit-code', '-o', 'json'])).code).toBe(1);
    expect((await run(['-A', '--exit-code', '--result', 'warn,pass'])).code).toBe(0);
    expect((await run(['-A', '--exit-code', '-n', 'elsewhere'])).code).toBe(2);
    expect((await run(['--exit-code', '-n', 'elsewhere'])).code).toBe(0);
  });

  it.each([
    ['--result', 'failed'],
    ['--severity', 'hgh'],
  ])('refuses an unknown value of %s', async (option, value) => {
    const { code, stderr, stdout } = await run(['-A', option, value]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`${option} does not know "${value}"; use `);
  });

  it('gives one page of HTML that loads nothing and trusts no message', async () => {
    const { stdout } = await run(['-A', '-o', 'html']);
    expect(stdout.startsWith('<!doctype html>')).toBe(true);
    expect(stdout).not.toMatch(/\b(src|href)=/);
    expect(stdout).not.toContain('<b>b</b> & co');
    expect(stdout).toContain('&lt;b&gt;b&lt;/b&gt; &amp; co');
    expect(stdout).toContain('prefers-color-scheme: dark');
  });

  it('prints again when a report changes', async () => {
    const stop = new AbortController();
    const printed: string[] = [];
    const running = runCli(
      ['report', '--kubeconfig', cluster.kubeconfigPath, '-A', '--watch', '--policy', 'late'],
      {
        env: {},
        stdout: { write: (text) => printed.push(text) },
        stderr: { write: (text) => printed.push(text) },
        temporaryDir: '/nonexistent',
        signal: stop.signal,
        uptimeMs: () => 0,
      },
      '0.0.0',
    );
    await eventually(() => expect(printed).toEqual(['No results found.\n']));
    await fixture.put(types.reports, report('late', [result('late', 'fail', 'web')]));
    await eventually(() => expect(printed.at(-1)).toContain('late'));
    stop.abort();
    expect(await running).toBe(0);
  });
});
