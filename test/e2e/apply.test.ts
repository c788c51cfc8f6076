/** `apply`, `test` and `explain` of the built program: what they print, how they end. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseYaml, parseYamlDocuments } from '../../src/base/index.ts';
import { runProgram } from '../support/program.ts';
import { useCluster } from './cluster.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'supercargo-apply-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, text: string) => {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
};

const policyOf = (name: string, rule: string, action = 'Enforce') => `apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata:
  name: ${name}
spec:
  validationFailureAction: ${action}
  rules:
    - name: rule
      match: {any: [{resources: {kinds: [Pod]}}]}
${rule.replaceAll(/^/gm, '      ')}
`;
const pattern = 'validate: {message: no latest, pattern: {spec: {containers: [{image: "!*:latest"}]}}}';
const podOf = (name: string, image: string) =>
  `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}, namespace: shop}\nspec: {containers: [{name: c, image: "${image}"}]}\n`;

const enforce = write('enforce.yaml', policyOf('pinned', pattern));
const audit = write('audit.yaml', policyOf('pinned', pattern, 'Audit'));
const good = write('good.yaml', podOf('good', 'nginx:1.29'));
const bad = write('bad.yaml', podOf('bad', 'nginx:latest'));
const mutate = write(
  'mutate.yaml',
  policyOf('label', 'mutate: {patchStrategicMerge: {metadata: {labels: {team: shop}}}}'),
);
const generate = write(
  'generate.yaml',
  policyOf('quota', 'generate: {apiVersion: v1, kind: ConfigMap, name: made, namespace: shop, data: {data: {a: b}}}'),
);

async function refused(...args: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await runProgram(args);
  expect({ exitCode, stdout, lines: stderr.split('\n').length }, stderr).toEqual({ exitCode: 2, stdout: '', lines: 2 });
  expect(stderr).toMatch(/^supercargo: /);
  return stderr.trimEnd().slice('supercargo: '.length);
}

describe.concurrent('supercargo apply', { timeout: 60_000 }, () => {
  it('prints a table and ends with 0 when nothing enforced failed', async () => {
    const { exitCode, stdout, stderr } = await runProgram(['apply', enforce, '-r', good]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toBe('1 policy, 3 rules, 1 resource\npass: 1, fail: 0, warn: 0, error: 0, skip: 0\n');
    const audited = await runProgram(['apply', audit, '-r', bad]);
    expect(audited.exitCode).toBe(0);
    expect(audited.stdout).toMatch(/^Pod\/shop\/bad {2}pinned {2}rule {2}fail {4}validation error: no latest\./m);
  });

  it('ends with 1 when an enforced rule failed', async () => {
    const { exitCode, stdout } = await runProgram(['apply', enforce, '-r', good, '-r', bad]);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('pass: 1, fail: 1, warn: 0, error: 0, skip: 0');
  });

  it('lists what passed, too, where details are asked for, and warns where an audit should', async () => {
    const detailed = await runProgram(['apply', audit, '-r', good, '-r', bad, '--detailed', '--audit-warn']);
    expect(detailed.stdout).toMatch(/^Pod\/shop\/good .* pass {4}/m);
    expect(detailed.stdout).toMatch(/^Pod\/shop\/bad .* warn {4}/m);
  });

  it('takes policies or resources from standard input', async () => {
    const fromInput = await runProgram(['apply', enforce, '-r', '-'], {}, podOf('piped', 'a:latest'));
    expect(fromInput).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('Pod/shop/piped') });
    const policies = await runProgram(['apply', '-', '-r', bad], {}, policyOf('pinned', pattern));
    expect(policies.exitCode).toBe(1);
  });

  it('writes each format', async () => {
    const run = async (format: string) => {
      const { stdout, stderr, exitCode } = await runProgram(['apply', enforce, '-r', bad, '-o', format]);
      expect(exitCode, stderr).toBe(1);
      return stdout;
    };
    expect(JSON.parse(await run('json'))).toMatchObject({
      results: [{ result: 'fail' }],
      summary: { fail: 1 },
      resources: 1,
    });
    expect(parseYaml(await run('yaml'))).toMatchObject({ results: [{ policy: 'pinned' }] });
    expect(JSON.parse(await run('sarif'))).toMatchObject({ runs: [{ results: [{ ruleId: 'pinned/rule' }] }] });
    expect(await run('junit')).toContain('<failure message=');
    expect(parseYaml(await run('policyreport'))).toMatchObject({ kind: 'PolicyReport', summary: { fail: 1 } });
  });

  it('prints resources as the policies leave them, or writes them to a folder', async () => {
    const printed = await runProgram(['apply', mutate, generate, '-r', good, '-o', 'resources']);
    expect(parseYamlDocuments(printed.stdout).map(({ value }) => value)).toMatchObject([
      { kind: 'Pod', metadata: { labels: { team: 'shop' } } },
      { kind: 'ConfigMap', metadata: { name: 'made' } },
    ]);
    expect(printed.stderr).toContain('pass: 2, fail: 0');
    const out = path.join(folder, 'out');
    const written = await runProgram(['apply', mutate, generate, enforce, '-r', good, '--output-dir', out]);
    expect(written).toMatchObject({ exitCode: 0, stderr: `2 resources written to ${out}\n` });
    expect(readdirSync(out).sort()).toEqual(['configmap-shop-made.yaml', 'pod-shop-good.yaml']);
    expect(parseYaml(readFileSync(path.join(out, 'pod-shop-good.yaml'), 'utf8'))).toMatchObject({
      metadata: { labels: { team: 'shop' } },
    });
  });

  it('honours values, users and exceptions', async () => {
    const user = write('user.yaml', 'kind: UserInfo\nuserInfo: {username: ann}\n');
    const byUser = write(
      'by-user.yaml',
      policyOf(
        'by-user',
        'preconditions: {all: [{key: "{{ request.userInfo.username }}", operator: Equals, value: ann}]}\nvalidate: {message: m, deny: {}}',
      ).replace('  rules:', '  background: false\n  rules:'),
    );
    expect((await runProgram(['apply', byUser, '-r', good, '--userinfo', user])).exitCode).toBe(1);
    const byOperation = write(
      'by-operation.yaml',
      policyOf(
        'op',
        'preconditions: {all: [{key: "{{ request.operation }}", operator: Equals, value: DELETE}]}\nvalidate: {message: m, deny: {}}',
      ),
    );
    expect((await runProgram(['apply', byOperation, '-r', good])).exitCode).toBe(0);
    expect((await runProgram(['apply', byOperation, '-r', good, '--set', 'request.operation=DELETE'])).exitCode).toBe(
      1,
    );
    const exception = write(
      'exception.yaml',
      'apiVersion: kyverno.io/v2\nkind: PolicyException\nmetadata: {name: e, namespace: shop}\nspec:\n  exceptions: [{policyName: pinned, ruleNames: [rule]}]\n  match: {any: [{resources: {kinds: [Pod]}}]}\n',
    );
    const excused = await runProgram(['apply', enforce, '-r', bad, '--exception', exception]);
    expect(excused).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('skip: 1') });
  });

  it('says which policies it cannot run yet, and does not pass them silently', async () => {
    const cel = write(
      'cel.yaml',
      'apiVersion: policies.kyverno.io/v1\nkind: ImageValidatingPolicy\nmetadata: {name: later}\nspec: {}\n',
    );
    const { exitCode, stderr, stdout } = await runProgram(['apply', cel, enforce, '-r', good]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/cel\.yaml:1: ImageValidatingPolicy later was skipped: .*not supported yet/);
    expect(stdout).toContain('pass: 1');
    expect((await runProgram(['apply', cel, enforce, '-r', good, '--allow-unsupported'])).exitCode).toBe(0);
    expect((await runProgram(['apply', cel, enforce, '-r', bad])).exitCode).toBe(1);
  });

  it('refuses wrong input with one line', async () => {
    const broken = write('broken.yaml', 'apiVersion: v1\nkind: [\n');
    expect(await refused('apply', enforce, '-r', broken)).toMatch(/broken\.yaml:\d+:\d+: /);
    expect(await refused('apply', broken, '-r', good)).toMatch(/broken\.yaml:\d+:\d+: /);
    expect(await refused('apply', enforce, '-r', '/none')).toBe('cannot read /none: there is no such file or folder');
    expect(await refused('apply', enforce)).toContain('name resources with -r');
    expect(await refused('apply', enforce, '-r', good, '-o', 'xml')).toContain('Allowed choices are table, json, yaml');
    expect(await refused('apply', '-', '-r', '-')).toContain('standard input can hold');
    expect(await refused('apply', good, '-r', good)).toMatch(/good\.yaml:1: Pod \(v1\) is not a policy$/);
    const empty = path.join(folder, 'empty');
    mkdirSync(empty, { recursive: true });
    expect(await refused('apply', enforce, '-r', empty)).toBe(`there is no resource in ${empty}`);
    expect(await refused('apply', empty, '-r', good)).toBe(`there is no policy in ${empty}`);
    const kindless = write('kindless.yaml', 'metadata: {name: x}\n');
    expect(await refused('apply', enforce, '-r', kindless)).toContain(
      'kindless.yaml:1:1: apiVersion and kind are missing',
    );
    const wrong = write('wrong.yaml', policyOf('wrong', 'validate: {message: m, patern: {}}'));
    expect(await refused('apply', wrong, '-r', good)).toMatch(
      /wrong\.yaml:1: ClusterPolicy wrong: spec\.rules\[0\]\S*: .* \(policy-[a-z-]+\)$/,
    );
    expect(await refused('apply', enforce, '-r', good, '--set', 'nothing')).toContain(
      '"nothing" is not of the form name=value',
    );
  });

  it('evaluates a large input on several threads with the same results in the same order as on one', async () => {
    const count = 6_000;
    const filler = 'x'.repeat(300);
    const name = (i: number) => `pod-${i}${i % 100 === 0 ? '-bad' : ''}`;
    const text = Array.from({ length: count }, (_, i) =>
      podOf(name(i), i % 100 === 0 ? 'a:latest' : `a:${filler}`),
    ).join('---\n');
    const large = write('large.yaml', text);
    const { exitCode, stdout } = await runProgram(['apply', enforce, '-r', large]);
    expect(exitCode).toBe(1);
    expect(stdout).toContain(`6,000 resources\npass: ${count - count / 100}, fail: ${count / 100}, warn: 0`);
    const failed = [...stdout.matchAll(/^Pod\/shop\/pod-(\d+)-bad /gm)].map(([, i]) => Number(i));
    expect(failed).toEqual(Array.from({ length: count / 100 }, (_, i) => i * 100));
    // An error far down is reported with its line.
    const broken = write('large-broken.yaml', `${text}---\nkind: [\n`);
    const { exitCode: code, stderr } = await runProgram(['apply', enforce, '-r', broken]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^supercargo: .*large-broken\.yaml:300\d\d:\d+: .*\n$/);
  });
});

describe.concurrent('supercargo test', { timeout: 60_000 }, () => {
  const testOf = (result: string) =>
    `apiVersion: cli.kyverno.io/v1alpha1\nkind: Test\nmetadata: {name: pins}\npolicies: [${enforce}]\nresources: [${bad}]\nresults: [{policy: pinned, rule: rule, kind: Pod, resources: [bad], result: ${result}}]\n`;
  write('tests/right/kyverno-test.yaml', testOf('fail'));
  write('tests/wrong/kyverno-test.yaml', testOf('pass'));
  const at = (name: string) => path.join(folder, 'tests', name);

  it('runs what it finds, and ends with 1 when a row failed', async () => {
    const all = await runProgram(['test', at('')]);
    expect(all.exitCode).toBe(1);
    expect(all.stdout).toContain('2 tests, 2 rows: 1 passed, 1 failed, 0 skipped');
    expect(all.stdout).toMatch(
      /✗ pinned \/ rule on Pod bad\n +expected {2}pass\n +got {7}fail\n +why {7}validation error: no latest/,
    );
    expect((await runProgram(['test', at('right')])).exitCode).toBe(0);
  });

  it('writes the JSON that others read', async () => {
    const { stdout } = await runProgram(['test', at(''), '-o', 'json']);
    expect(JSON.parse(stdout)).toEqual({
      tests: 2,
      rows: 2,
      passed: 1,
      failed: 1,
      skipped: 0,
      failures: [{ test: 'pins', policy: 'pinned', rule: 'rule', resource: 'bad', expected: 'pass', actual: 'fail' }],
    });
  });

  it('takes the folders of a list by themselves', async () => {
    const list = write('list.txt', `${at('right')}\n`);
    const { stdout } = await runProgram(['test', '--list', list, '-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({ tests: 1, passed: 1, failed: 0 });
    const above = write('above.txt', `${at('')}\n`);
    const missing = await runProgram(['test', '--list', above, '-o', 'json']);
    expect(missing).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('there is no such file') });
    expect(JSON.parse(missing.stdout)).toMatchObject({ tests: 1, rows: 1, failed: 1 });
  });

  it('refuses to run nothing', async () => {
    expect(await refused('test')).toContain('no tests are named');
    expect(await refused('test', path.join(folder, 'out-of-here'))).toContain('there is no such file or folder');
  });
});

describe.concurrent('supercargo explain', { timeout: 60_000 }, () => {
  it('shows a tree, and JSON', async () => {
    const { exitCode, stdout } = await runProgram(['explain', enforce, '-r', bad]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('✗ pattern does not match at /spec/containers/0/image/\n        ✗ expected "!*:latest"\n');
    const json = await runProgram(['explain', enforce, '-r', bad, '-o', 'json']);
    expect(JSON.parse(json.stdout)).toMatchObject([
      { resource: 'Pod/shop/bad', rules: [{ rule: 'rule', status: 'fail' }, {}, {}] },
    ]);
  });

  it('shows the parts of CEL expressions with their values, of classic rules and of policies of expressions', async () => {
    const expression = `size(object.metadata.name) > 9 || object.spec.containers.exists(c, c.image == 'x')`;
    const classic = write(
      'classic-cel.yaml',
      `apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: classic}\nspec:\n  rules:\n    - name: r\n      match: {any: [{resources: {kinds: [Pod]}}]}\n      validate:\n        cel:\n          expressions: [{expression: "${expression}"}]\n`,
    );
    const policy = write(
      'vpol.yaml',
      `apiVersion: policies.kyverno.io/v1\nkind: ValidatingPolicy\nmetadata: {name: v}\nspec:\n  matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}\n  validations: [{expression: "${expression}"}]\n`,
    );
    const { exitCode, stdout } = await runProgram(['explain', classic, policy, '-r', bad]);
    expect(exitCode).toBe(0);
    for (const [where, indent] of [
      ['validate.cel', '      '],
      ['validations', '    '],
    ] as const) {
      const lines = [
        `${where}: ${expression} = false`,
        '  – size(object.metadata.name) > 9 = false',
        '    size(object.metadata.name) = 3',
        '      object.metadata.name = "bad"',
        "  – object.spec.containers.exists(c, c.image == 'x') = false",
      ];
      const mark = where === 'validate.cel' ? '✗' : '–';
      expect(stdout).toContain(lines.map((line, i) => `${indent}${i === 0 ? `${mark} ` : ''}${line}\n`).join(''));
    }
    const json = await runProgram(['explain', classic, '-r', bad, '-o', 'json']);
    const [{ rules }] = JSON.parse(json.stdout);
    expect(rules[0].steps.at(-1)).toMatchObject({
      kind: 'expression',
      value: false,
      steps: [
        { value: false, steps: [{ value: 3, steps: [{ expression: 'object.metadata.name', value: 'bad' }] }] },
        { value: false, steps: [{}, { expression: "c.image == 'x'", at: 0, value: false }] },
      ],
    });
  });

  it('refuses wrong input with one line', async () => {
    expect(await refused('explain', enforce)).toContain('name resources with -r');
    expect(await refused('explain', enforce, '-r', bad, '-o', 'table')).toContain('Allowed choices are tree, json');
  });
});

describe('supercargo apply --cluster', { timeout: 60_000 }, () => {
  const cluster = useCluster(['--no-simulation']);

  it('evaluates the objects of the cluster, of the kinds that the policies match', async () => {
    for (const namespace of ['shop', 'other'])
      await cluster.api.post('/api/v1/namespaces', { metadata: { name: namespace, labels: { team: namespace } } });
    for (const [namespace, image] of [
      ['shop', 'a:latest'],
      ['other', 'a:1'],
    ])
      await cluster.api.post(`/api/v1/namespaces/${namespace}/pods`, {
        metadata: { name: 'web' },
        spec: { containers: [{ name: 'c', image }] },
      });
    await cluster.api.post('/api/v1/namespaces/shop/configmaps', {
      metadata: { name: 'settings' },
      data: { forbid: 'yes' },
    });
    const { kubeconfig } = cluster.program.ready;
    const all = await runProgram(['apply', enforce, '--cluster', '--kubeconfig', kubeconfig]);
    expect(all, all.stderr).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('pass: 1, fail: 1') });
    const one = await runProgram(['apply', enforce, '--cluster', '-n', 'other', '--kubeconfig', kubeconfig]);
    expect(one).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('1 resource\npass: 1, fail: 0') });
    const asking = write(
      'asking.yaml',
      policyOf(
        'asking',
        'context: [{name: c, configMap: {name: settings, namespace: shop}}]\npreconditions: {all: [{key: "{{ request.namespace }}", operator: Equals, value: shop}]}\nvalidate: {message: m, deny: {conditions: {all: [{key: "{{ c.data.forbid }}", operator: Equals, value: "yes"}]}}}',
      ),
    );
    const asked = await runProgram(['apply', asking, '--cluster', '--kubeconfig', kubeconfig]);
    expect(asked, asked.stderr).toMatchObject({
      exitCode: 1,
      stdout: expect.stringContaining('fail: 1, warn: 0, error: 0, skip: 1'),
    });
  });

  it('says so when there is no cluster', async () => {
    expect(await refused('apply', enforce, '--cluster', '--kubeconfig', '/none')).toContain('/none');
    expect(await refused('apply', enforce, '--cluster', '-r', good)).toContain('not from both');
    expect(await refused('apply', enforce, '-r', good, '-n', 'shop')).toContain('--namespace goes with --cluster');
  });
});

describe('apply with payloads', () => {
  const judge = (name: string, mode: string, expression: string) =>
    write(
      `${name}.yaml`,
      `apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: { name: ${name} }
spec:
  evaluation: { mode: ${mode} }
  validations:
  - { message: not allowed, expression: "${expression}" }
`,
    );
  const dockerfile = judge('no-latest', 'JSON', "!object.stages.exists(s, s.from.endsWith(':latest'))");
  const http = judge(
    'health-only',
    'HTTP',
    "object.attributes.path == '/health' ? http.Allowed().Response() : http.Denied('closed').Response()",
  );
  const stages = (image: string) => JSON.stringify({ stages: [{ from: image }] });
  const json = write('payloads/dockerfile.json', stages('node:latest'));
  const pinned = write('pinned.json', stages('node:22'));
  const request = (name: string, at: string) => write(`${name}.json`, JSON.stringify({ attributes: { path: at } }));

  it('judges documents by policies of mode JSON', async () => {
    const failed = await runProgram(['apply', dockerfile, '--json', json, '-o', 'json']);
    expect({ exitCode: failed.exitCode, stderr: failed.stderr }).toEqual({ exitCode: 1, stderr: '' });
    expect(JSON.parse(failed.stdout).results).toMatchObject([
      {
        policy: 'no-latest',
        result: 'fail',
        message: 'not allowed',
        resource: { kind: 'JSON', name: 'dockerfile.json' },
      },
    ]);
    expect((await runProgram(['apply', dockerfile, '--json', pinned])).exitCode).toBe(0);
    expect((await runProgram(['apply', dockerfile, '--json', '-'], {}, stages('a:latest'))).exitCode).toBe(1);
  });

  it('judges requests of proxies by policies of mode HTTP, beside resources', async () => {
    const open = request('open', '/health');
    const closed = request('closed', '/admin');
    expect((await runProgram(['apply', http, '--http-payload', open])).exitCode).toBe(0);
    const both = ['apply', http, enforce, '-r', good, '--http-payload', open, '--http-payload', closed, '-o', 'json'];
    const { exitCode, stdout } = await runProgram([...both, '--detailed']);
    expect(exitCode).toBe(1);
    expect(
      JSON.parse(stdout).results.map((one: { policy: string; result: string }) => [one.policy, one.result]),
    ).toEqual([
      ['pinned', 'pass'],
      ['health-only', 'pass'],
      ['health-only', 'fail'],
    ]);
  });

  it('says in one line what cannot be', async () => {
    expect(await refused('apply', dockerfile, '--envoy-payload', json)).toContain(
      'no policy judges it: none has evaluation.mode Envoy',
    );
    expect(await refused('apply', dockerfile, '--json', json, '--cluster')).toContain('a cluster has no payloads');
    expect(await refused('apply', dockerfile, '--json', write('bad.json', '{'))).toContain('bad.json:1');
  });
});
