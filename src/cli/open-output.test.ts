import { spawn, spawnSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const module = JSON.stringify(join(import.meta.dirname, 'open-output.ts'));
/** Writes a megabyte in pieces to standard output and tells on standard error what happened. */
const program = `
  import { openOutput } from ${module};
  let closed = 0;
  const out = openOutput({ fd: 1, open: () => { if (process.env.SAY_FULL) process.stderr.write('full '); return process.stdout; }, onClosed: () => { closed += 1; } });
  for (let i = 0; i < 16; i++) out.write(String.fromCharCode(97 + i).repeat(65_535) + 'é');
  setTimeout(() => process.stderr.write('closed ' + closed), 10);
`;
const node = [process.execPath, '--import', 'tsx', '--input-type=module', '-e', program] as const;
const whole = Array.from({ length: 16 }, (_, i) => `${String.fromCharCode(97 + i).repeat(65_535)}é`).join('');

it('writes everything to a pipe, in order', () => {
  const [command, ...args] = node;
  const { stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 22 });
  expect(stdout === whole).toBe(true);
  expect(stderr).toBe('closed 0');
});

it('writes everything to a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'supercargo-output-'));
  const path = join(folder, 'out');
  try {
    const file = openSync(path, 'w');
    const [command, ...args] = node;
    spawnSync(command, args, { stdio: ['ignore', file, 'ignore'] });
    closeSync(file);
    expect(readFileSync(path, 'utf8') === whole).toBe(true);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('goes on when the reader has closed the pipe, and says so once', () => {
  const { stderr, stdout } = spawnSync('bash', ['-c', '"$@" | head -c 3', 'bash', ...node], { encoding: 'utf8' });
  expect(stdout).toBe('aaa');
  expect(stderr).toBe('closed 1');
});

it('waits for the reader of a pipe that somebody else made non-blocking', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'supercargo-output-'));
  const path = join(folder, 'pipe');
  try {
    spawnSync('mkfifo', [path]);
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const writer = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    const [command, ...args] = node;
    const child = spawn(command, args, { stdio: ['ignore', writer, 'pipe'], env: { ...process.env, SAY_FULL: '1' } });
    closeSync(writer);
    // Nothing is read before the pipe is full.
    expect(String(await new Promise((resolve) => child.stderr!.once('data', resolve)))).toBe('full ');
    const cat = spawn('cat', [path], { stdio: ['ignore', 'pipe', 'inherit'] });
    let read = '';
    for await (const text of cat.stdout.setEncoding('utf8')) read += text;
    closeSync(reader);
    expect(read === whole).toBe(true);
    if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve));
    expect(child.exitCode).toBe(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
