import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runCommand } from '../../test/support/run-command.ts';
import { parseYaml, renderYaml } from '../base/index.ts';

describe('supercargo test', () => {
  const folder = mkdtempSync(join(tmpdir(), 'test-command-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const write = (name: string, ...objects: readonly object[]) =>
    writeFileSync(join(folder, name), objects.map((one) => renderYaml(one)).join('---\n'));
  const pod = (name: string, labels: object) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name, labels } });
  write('pods.yaml', pod('good', { owner: 'a' }), pod('bad', {}));
  write('policy.yaml', {
    apiVersion: 'kyverno.io/v1',
    kind: 'ClusterPolicy',
    metadata: { name: 'require-owner' },
    spec: {
      rules: [
        {
          name: 'owner',
          match: { any: [{ resources: { kinds: ['Pod'] } }] },
          validate: { message: 'no owner', pattern: { metadata: { labels: { owner: '?*' } } } },
        },
      ],
    },
  });
  // The second row is wrong.
  const row = (name: string) => ({
    policy: 'require-owner',
    rule: 'owner',
    kind: 'Pod',
    resources: [name],
    result: 'pass',
  });
  write('kyverno-test.yaml', {
    apiVersion: 'cli.kyverno.io/v1alpha1',
    kind: 'Test',
    metadata: { name: 'owners' },
    policies: ['policy.yaml'],
    resources: ['pods.yaml'],
    results: [row('good'), row('bad')],
  });
  const test = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await runCommand(['test', folder, ...args]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    return stdout;
  };

  it('lists what failed, and wide what passed, too', async () => {
    const table = await test();
    expect(table).toContain('bad');
    expect(table).not.toContain('good');
    expect(await test('-o', 'wide')).toContain('good');
    expect(await test('-o', 'wide')).toBe(await test('--detailed'));
    expect(await test('-o', 'wide', '--fail-only')).not.toContain('good');
  });

  it('prints JUnit, of the failures only if asked', async () => {
    const junit = await test('-o', 'junit');
    expect(junit).toMatch(/<testsuites? [^>]*tests="2"[^>]*failures="1"/);
    expect(junit.match(/<testcase /g)).toHaveLength(2);
    const failures = await test('-o', 'junit', '--fail-only');
    expect(failures.match(/<testcase /g)).toHaveLength(1);
    expect(failures).toContain('<failure');
  });

  it('prints Markdown, of the failures only if asked', async () => {
    const markdown = await test('-o', 'markdown');
    expect(markdown).toMatch(/^\|.*good.*\|$/m);
    expect(markdown).toContain('1 passed, 1 failed');
    const failures = await test('-o', 'markdown', '--fail-only');
    expect(failures).toMatch(/^\|.*bad.*\|$/m);
    expect(failures).not.toContain('good');
  });

  it('prints the same as YAML and as JSON', async () => {
    const json = JSON.parse(await test('-o', 'json'));
    expect(json).toMatchObject({ rows: 2, passed: 1, failed: 1, failures: [{ rule: 'owner', actual: 'fail' }] });
    expect(parseYaml(await test('-o', 'yaml'), {})).toEqual(json);
  });
});
