import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { isProcessRunning, processStartTime } from './process-state.ts';

it('finds this process, and finds none for an impossible id', () => {
  expect(isProcessRunning(process.pid)).toBe(true);
  expect(isProcessRunning(2 ** 30)).toBe(false);
  expect(processStartTime(2 ** 30)).toBeUndefined();
});

it.skipIf(process.platform !== 'linux')('treats a zombie as ended', async () => {
  // Nobody waits for the child: it ends after exec has replaced the shell with a program that does not know it.
  const script =
    '(while [ -e /proc/$$ ] && [ "$(cat /proc/$$/comm)" != sleep ]; do sleep 0; done) & echo $!; exec sleep 30';
  const parent = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const pid = await new Promise<number>((resolve) =>
      parent.stdout.once('data', (data: Buffer) => resolve(Number(data.toString()))),
    );
    for (;;) {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
      if (stat.includes(') Z ')) break;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(isProcessRunning(pid)).toBe(false);
  } finally {
    parent.kill('SIGKILL');
  }
});
