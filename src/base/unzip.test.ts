import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openZipEntry, readZipEntry } from './unzip.ts';

let dir = '';
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'unzip-test-'));
});
afterAll(() => rm(dir, { recursive: true }));

interface File {
  readonly name: string;
  readonly content: Buffer;
  readonly isStored?: boolean;
  readonly claimedBytes?: number;
  readonly flags?: number;
}

/** An independent writer, so that the reader is not tested against itself. */
function zip(files: readonly File[], comment = ''): Buffer {
  const locals: Buffer[] = [];
  const records: Buffer[] = [];
  let offset = 0;
  for (const { name, content, isStored = false, claimedBytes = content.length, flags = 0 } of files) {
    const packed = isStored ? content : deflateRawSync(content);
    const extra = Buffer.from('extra');
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(Buffer.byteLength(name), 26);
    local.writeUInt16LE(extra.length, 28);
    locals.push(local, Buffer.from(name), extra, packed);
    const record = Buffer.alloc(46);
    record.writeUInt32LE(0x02014b50, 0);
    record.writeUInt16LE(flags, 8);
    record.writeUInt16LE(isStored ? 0 : 8, 10);
    record.writeUInt32LE(packed.length, 20);
    record.writeUInt32LE(claimedBytes, 24);
    record.writeUInt16LE(Buffer.byteLength(name), 28);
    record.writeUInt32LE(offset, 42);
    records.push(record, Buffer.from(name));
    offset += 30 + Buffer.byteLength(name) + extra.length + packed.length;
  }
  const directory = Buffer.concat(records);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...locals, directory, end, Buffer.from(comment)]);
}

async function archive(bytes: Buffer): Promise<string> {
  const file = join(dir, `${Math.random().toString(36).slice(2)}.zip`);
  await writeFile(file, bytes);
  return file;
}

const hello = Buffer.from('hello '.repeat(10_000));
const limit = { maxBytes: 1_000_000 };

test('reads an entry, packed or stored, behind others and before a comment', async () => {
  const files = [
    { name: 'dir/', content: Buffer.alloc(0), isStored: true },
    { name: 'dir/packed', content: hello },
    { name: 'dir/stored', content: hello, isStored: true },
  ];
  const file = await archive(zip(files, 'a comment'));
  expect(await readZipEntry(file, 'dir/packed', limit)).toEqual(hello);
  expect(await readZipEntry(file, 'dir/stored', limit)).toEqual(hello);
  expect(await readZipEntry(file, 'dir/', limit)).toHaveLength(0);
});

test('rejects missing, damaged and encrypted entries with their code', async () => {
  const code = (name: string) => expect.objectContaining({ code: name });
  const good = zip([{ name: 'a', content: hello }]);
  await expect(readZipEntry(await archive(good), 'b', limit)).rejects.toThrow(code('zip-entry-missing'));
  await expect(readZipEntry(await archive(Buffer.from('no zip')), 'a', limit)).rejects.toThrow(code('zip-invalid'));
  await expect(readZipEntry(await archive(good.subarray(0, -5)), 'a', limit)).rejects.toThrow(code('zip-invalid'));
  await expect(readZipEntry(await archive(good), 'a', { maxBytes: 10 })).rejects.toThrow(code('zip-too-large'));
  const locked = await archive(zip([{ name: 'a', content: hello, flags: 1 }]));
  await expect(readZipEntry(locked, 'a', limit)).rejects.toThrow(code('zip-unsupported'));
});

test('rejects an entry that unpacks to another size than it claims', async () => {
  for (const claimedBytes of [10, hello.length + 1]) {
    const file = await archive(zip([{ name: 'a', content: hello, claimedBytes }]));
    await expect(readZipEntry(file, 'a', limit)).rejects.toThrow('does not have the');
  }
});

test('stops reading on abort', async () => {
  const file = await archive(zip([{ name: 'a', content: hello }]));
  await expect(openZipEntry(file, 'a', AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
});
