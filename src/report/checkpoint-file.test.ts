import {
  chmodSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readCheckpointFile, writeCheckpointFile } from './checkpoint-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'supercargo-checkpoint-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const content = Buffer.from('results '.repeat(1000));

it('is read as it was written, also into a folder that does not exist yet', async () => {
  const path = join(folder, 'a', 'b');
  await writeCheckpointFile(path, Buffer.from('before'));
  await writeCheckpointFile(path, content);
  expect(await readCheckpointFile(path)).toEqual(content);
  expect(readdirSync(join(folder, 'a'))).toEqual(['b']);
  expect(await readCheckpointFile(join(folder, 'none'))).toBeUndefined();
});

it('is refused when a byte of it changed, or a part of it is missing', async () => {
  const path = join(folder, 'a');
  await writeCheckpointFile(path, content);
  const written = readFileSync(path);
  for (const at of [0, 20, 40, 60, 80, written.length - 1]) {
    const changed = Buffer.from(written);
    changed[at] = changed[at]! ^ 1;
    writeFileSync(path, changed);
    await expect(readCheckpointFile(path), `byte ${at}`).rejects.toThrow();
  }
  for (const length of [0, 10, 50, written.length - 1]) {
    writeFileSync(path, written.subarray(0, length));
    await expect(readCheckpointFile(path), `${length} bytes`).rejects.toThrow();
  }
});

it('is refused when others may have written it', async () => {
  const path = join(folder, 'a');
  await writeCheckpointFile(path, content);
  for (const mode of [0o620, 0o602, 0o640, 0o604]) {
    chmodSync(path, mode);
    await expect(readCheckpointFile(path)).rejects.toThrow('open to others');
  }
  chmodSync(path, 0o600);
  const link = join(folder, 'link');
  symlinkSync(path, link);
  await expect(readCheckpointFile(link)).rejects.toThrow();
  linkSync(path, join(folder, 'second name'));
  await expect(readCheckpointFile(path)).rejects.toThrow('plain file');
});

it('leaves the old file and nothing else behind when it cannot be replaced', async () => {
  const path = join(folder, 'a');
  await writeCheckpointFile(path, content);
  await expect(writeCheckpointFile(join(path, 'below a file'), content)).rejects.toThrow();
  expect(readdirSync(folder)).toEqual(['a']);
  expect(await readCheckpointFile(path)).toEqual(content);
});

it('takes the place of what a process that was killed while it wrote has left', async () => {
  const path = join(folder, 'a');
  writeFileSync(`${path}.${process.pid}`, 'half of it');
  await writeCheckpointFile(path, content);
  expect(readdirSync(folder)).toEqual(['a']);
});

it('follows no link that lies where it is written', async () => {
  const path = join(folder, 'a');
  writeFileSync(join(folder, 'other'), 'theirs');
  symlinkSync(join(folder, 'other'), `${path}.${process.pid}`);
  await writeCheckpointFile(path, content);
  expect(readFileSync(join(folder, 'other'), 'utf8')).toBe('theirs');
  expect(await readCheckpointFile(path)).toEqual(content);
});
