import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, describe, expect, it } from 'vitest';
import { runCli } from './index.ts';

const folder = mkdtempSync(join(tmpdir(), 'supercargo-cel-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, 'objects.yaml');
writeFileSync(file, 'kind: A\nsizes: [1, 2]\n---\nkind: B\n');

const run = (...args: readonly string[]) => runCommand('cel', args);

async function runCommand(
  command: 'cel' | 'jp',
  args: readonly string[],
  input?: string,
  onOutput: (controller: AbortController) => void = () => {},
) {
  const controller = new AbortController();
  let stdout = '';
  let stderr = '';
  const exitCode = await runCli(
    [command, ...args],
    {
      env: {},
      ...(input === undefined ? {} : { openStdin: () => Readable.from([input]) }),
      stdout: {
        write: (text) => {
          stdout += text;
          onOutput(controller);
        },
      },
      stderr: { write: (text) => (stderr += text) },
      temporaryDir: folder,
      signal: controller.signal,
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

it('reads expressions from standard input, and goes on after a mistake', async () => {
  const input = 'object.kind\n1 +\n[1,\n2].size()\n:type object.kind == "A"\n';
  const { exitCode, stdout, stderr } = await runCommand('cel', ['-r', file], input);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '"A"\n"B"\n2\n2\nbool\n' });
  expect(stderr).toContain('ERROR: <input>:1:4');
});

describe('stops at a signal', () => {
  // Longer than the time that is taken without a turn of the event loop.
  const expensive = `[1, 2, 3, 4, 5, 6, 7, 8, 9, 10].${'map(x, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].'.repeat(3)}size()${')'.repeat(3)}.size()`;
  const pieces = 500;
  /** As a signal of the process: when the event loop turns. */
  const abortLater = (controller: AbortController) => void setImmediate(() => controller.abort());

  it('between two documents', async () => {
    const many = join(folder, 'many.yaml');
    writeFileSync(many, '---\nkind: A\n'.repeat(pieces));
    const { exitCode, stdout } = await runCommand('cel', [expensive, '-r', many], undefined, abortLater);
    expect(exitCode).toBe(1);
    expect(stdout.split('\n').length).toBeLessThan(pieces);
  });

  it('between two expressions', async () => {
    const { stdout } = await runCommand('cel', [], `${expensive}\n`.repeat(pieces), abortLater);
    expect(stdout.split('\n').length).toBeLessThan(pieces);
  });
});

it('shows how a function is called', async () => {
  expect((await run('--functions', 'isSorted')).stdout).toContain('list(int).isSorted() -> bool\n');
  expect(await run('--functions', 'nope')).toMatchObject({ exitCode: 2, stdout: '' });
});

describe('jp', () => {
  const jp = (...args: readonly string[]) => runCommand('jp', args);

  it("evaluates in Kyverno's dialect, with the document as root or as the object of a request", async () => {
    expect(await jp('sizes[-1] || kind', '-r', file)).toEqual({ exitCode: 0, stdout: '2\n"B"\n', stderr: '' });
    expect((await jp('request.object.kind', '--request', '-u', '-r', file)).stdout).toBe('A\nB\n');
    expect((await jp("truncate(sha256('nginx:1.21'), `8`)", '-u')).stdout).toBe('30aeea33\n');
  });

  it('shows where an expression is wrong, and where it failed', async () => {
    const wrong = await jp('a[');
    expect(wrong.exitCode).toBe(2);
    expect(wrong.stderr).toMatch(/a\[\nsupercargo: {3}\^/);
    const failed = await jp('sizes', '-r', file);
    expect(failed).toMatchObject({ exitCode: 1, stdout: '[\n  1,\n  2\n]\n' });
    expect(failed.stderr).toContain(`${file}:4: Unknown key "sizes" in path`);
  });

  it('lists functions, and shows JSON on one line', async () => {
    expect((await jp('--functions', 'truncate')).stdout).toBe('truncate(string, number)\n');
    expect((await jp('[`1`, `2`]', '-c')).stdout).toBe('[1,2]\n');
  });

  it('refuses to read standard input twice', async () => {
    expect(await runCommand('jp', ['-r', '-'], 'a')).toMatchObject({ exitCode: 2 });
  });
});
