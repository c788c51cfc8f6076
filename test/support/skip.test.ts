import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { missingOf, requireVariable, skipReason } from './skip.ts';

const collect = (env: Readonly<Record<string, string>> = {}) => {
  const written: string[] = [];
  return { written, context: { env, write: (text: string) => void written.push(text) } };
};

it('runs what can run, and says nothing', () => {
  const { written, context } = collect({ [requireVariable]: 'true' });
  expect(skipReason('a node', undefined, context)).toBeUndefined();
  expect(missingOf('a node', { runc: '/usr/sbin/runc', git: true }, context)).toBeUndefined();
  expect(written).toEqual([]);
});

it('skips what cannot run, with its reason', () => {
  const { written, context } = collect({ [requireVariable]: 'false' });
  expect(skipReason('a node', 'a kubelet needs root', context)).toBe('a kubelet needs root');
  expect(missingOf('copies', { skopeo: undefined, git: false, crane: '/bin/crane' }, context)).toBe(
    'not installed: skopeo, git',
  );
  expect(written).toEqual(['skipped: a node: a kubelet needs root\n', 'skipped: copies: not installed: skopeo, git\n']);
});

it('fails what cannot run where it must', () => {
  const { context } = collect({ [requireVariable]: 'true' });
  expect(() => skipReason('a node', 'a kubelet needs root', context)).toThrow(
    'a node must run, but a kubelet needs root (SUPERCARGO_REQUIRE_SERVERS is set)',
  );
  expect(() => missingOf('copies', { skopeo: undefined }, context)).toThrow(
    'copies must run, but not installed: skopeo',
  );
});

it('is asked wherever tests are skipped, except for what .ci/run does not install', () => {
  const folder = path.join(import.meta.dirname, '..');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const unasked = files.filter((file) => {
    const text = readFileSync(path.join(folder, file), 'utf8');
    return (
      /\.(?:skipIf|skip)\b\(/.test(text) &&
      !/(?:skip|git-server|real-cluster|real-node|browser|kubectl|kubectl-oracle)\.ts'/.test(text)
    );
  });
  expect(unasked.map((file) => file.replaceAll('\\', '/')).sort()).toEqual([
    // ../shared is not part of the repository.
    'conformance/convert.test.ts',
    'conformance/kyverno.test.ts',
    // Elsewhere browsers are opened in other ways.
    'integration/dashboard-command.test.ts',
    // Only on Linux is there a file system that is always full.
    'integration/restart.test.ts',
    // Kyverno itself takes minutes to build.
    'oracle/kyverno.test.ts',
  ]);
});
