import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runCli } from './index.ts';

const folder = mkdtempSync(join(tmpdir(), 'supercargo-cel-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, 'objects.yaml');
writeFileSync(file, 'kind: A\nsizes: [1, 2]\n---\nkind: B\n');

async function run(...args: readonly string[]) {
  let stdout = '';
  let stderr = '';
  const exitCode = await runCli(
    ['cel', ...args],
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

it('evaluates once for each document', async () => {
  expect(await run('object.kind', '-r', file)).toEqual({ exitCode: 0, stdout: '"A"\n"B"\n', stderr: '' });
});

it('evaluates without documents, and shows type and cost', async () => {
  const { stdout } = await run('[1, 2].map(x, x * 2)', '--cost', '-o', 'yaml');
  expect(stdout).toBe('value:\n- 2\n- 4\ntype: list(int)\ncost: 29\n');
});

it('tells where an evaluation failed, and goes on', async () => {
  const answer = await run('object.sizes.size()', '-r', file);
  expect(answer).toMatchObject({ exitCode: 1, stdout: '2\n' });
  expect(answer.stderr).toBe(`supercargo: ${file}:4: no such key: sizes\n`);
});

it('shows the place of a mistake', async () => {
  const { exitCode, stderr } = await run("1 + 'a'");
  expect(exitCode).toBe(2);
  expect(stderr).toContain("ERROR: <input>:1:3: found no matching overload for '_+_' applied to '(int, string)'");
});
