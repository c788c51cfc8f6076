import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

/** With few images the code that is read and the tables of a fixed size are a part of it: 2.6 KB where it is 2.0 KB. */
const maxBytes = 3_500;
const images = 2_000;

it('the facts of an image take a bounded memory, and so do the answers that are kept', async () => {
  const program = fileURLToPath(new URL('support/dashboard-memory.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--expose-gc',
    '--import',
    'tsx',
    program,
    String(images),
  ]);
  const { total, facts, kept } = JSON.parse(stdout) as Readonly<Record<'total' | 'facts' | 'kept', number>>;
  expect(total).toBe(images);
  // A leak of the measurement itself would look like a small memory.
  expect(facts).toBeGreaterThan(1_000);
  expect(facts).toBeLessThan(maxBytes);
  expect(kept).toBeLessThan(maxBytes);
});
