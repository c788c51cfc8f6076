import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { parseYaml } from '../base/index.ts';
import { runCli } from './index.ts';

const folder = mkdtempSync(join(tmpdir(), 'supercargo-convert-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const policy = (rule: string) => `apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: no-host-pid }
spec:
  rules:
  - name: host-pid
    match: { any: [{ resources: { kinds: [Pod] } }] }
    ${rule}
`;
const good = join(folder, 'good.yaml');
writeFileSync(
  good,
  policy("validate: { failureAction: Enforce, message: denied, pattern: { spec: { '=(hostPID)': false } } }"),
);
const bad = join(folder, 'bad.yaml');
writeFileSync(bad, policy('validate: { podSecurity: { level: baseline } }'));
const other = join(folder, 'other.yaml');
writeFileSync(other, 'apiVersion: v1\nkind: Pod\nmetadata: { name: a }\n');

async function run(...args: readonly string[]) {
  let stdout = '';
  let stderr = '';
  const exitCode = await runCli(
    args,
    {
      env: {},
      stdout: { write: (text) => (stdout += text) },
      stderr: { write: (text) => (stderr += text) },
      temporaryDir: folder,
      signal: new AbortController().signal,
      uptimeMs: () => 0,
    },
    '0.0.0',
  );
  return { exitCode, stdout, stderr };
}

it('writes policies that apply reads, and that block the same', async () => {
  const { exitCode, stdout } = await run('convert', good);
  expect(exitCode).toBe(0);
  const converted = join(folder, 'converted.yaml');
  writeFileSync(converted, stdout);
  const pod = join(folder, 'pod.yaml');
  writeFileSync(pod, 'apiVersion: v1\nkind: Pod\nmetadata: { name: a }\nspec: { hostPID: true, containers: [] }\n');
  expect((await run('apply', converted, '-r', pod)).exitCode).toBe(1);
  writeFileSync(pod, 'apiVersion: v1\nkind: Pod\nmetadata: { name: a }\nspec: { containers: [] }\n');
  expect((await run('apply', converted, '-r', pod)).exitCode).toBe(0);
});

it('names what has no equivalent with its file, rule and field, and goes on', async () => {
  const { exitCode, stdout, stderr } = await run('convert', '--quiet', '-o', 'json', good, bad);
  expect(exitCode).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ kind: 'List', items: [{ metadata: { name: 'no-host-pid' } }] });
  expect(stderr).toBe(
    `supercargo: ${bad}:1: no-host-pid: rule host-pid: spec.rules[0].validate: podSecurity has no equivalent\n`,
  );
});

it('refuses a file that is no classic policy', async () => {
  const { exitCode, stderr } = await run('convert', other);
  expect(exitCode).toBe(2);
  expect(stderr).toBe(`supercargo: ${other}:1: Pod is no ClusterPolicy or Policy\n`);
});

it('says what is wrong with a policy that is not valid', async () => {
  const invalid = join(folder, 'invalid.yaml');
  // In YAML as Kubernetes reads it, this message is false.
  writeFileSync(invalid, policy("validate: { message: no, pattern: { spec: { '=(hostPID)': false } } }"));
  const { exitCode, stderr } = await run('convert', invalid);
  expect(exitCode).toBe(1);
  expect(stderr).toContain(`${invalid}:1: no-host-pid: spec.rules[0].validate.message: `);
});

it('writes mutate and generate rules too, and apply makes the same of them', async () => {
  const classic = join(folder, 'namespace.yaml');
  writeFileSync(
    classic,
    `apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: namespaces }
spec:
  rules:
  - name: label
    match: { any: [{ resources: { kinds: [Namespace] } }] }
    mutate: { patchStrategicMerge: { metadata: { labels: { +(team): none } } } }
  - name: deny-all
    match: { any: [{ resources: { kinds: [Namespace] } }] }
    generate:
      apiVersion: networking.k8s.io/v1
      kind: NetworkPolicy
      name: deny-all
      namespace: '{{ request.object.metadata.name }}'
      synchronize: true
      data: { spec: { podSelector: {}, policyTypes: [Ingress, Egress] } }
`,
  );
  const { exitCode, stdout } = await run('convert', classic);
  expect(exitCode).toBe(0);
  expect(stdout.match(/^kind: .*$/gm)).toEqual(['kind: MutatingPolicy', 'kind: GeneratingPolicy']);
  const converted = join(folder, 'namespace-converted.yaml');
  writeFileSync(converted, stdout);
  const namespace = join(folder, 'shop.yaml');
  writeFileSync(namespace, 'apiVersion: v1\nkind: Namespace\nmetadata: { name: shop, labels: { a: b } }\n');
  const made = async (policy: string, output: string) => {
    expect((await run('apply', policy, '-r', namespace, '--output-dir', output)).exitCode).toBe(0);
    return readdirSync(output, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.yaml'))
      .sort()
      .map((name) => parseYaml(readFileSync(join(output, name), 'utf8')));
  };
  const [before, after] = [await made(classic, join(folder, 'classic')), await made(converted, join(folder, 'new'))];
  expect(before.length).toBeGreaterThan(0);
  expect(after).toEqual(before);
});
