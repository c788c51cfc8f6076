import { type FileHandle, open } from 'node:fs/promises';
import { addAbortSignal, pipeline, Readable, Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createInflateRaw } from 'node:zlib';
import { SupercargoError } from './errors.ts';

/** A file that is not a readable zip archive, or has no such entry. */
export class ZipError extends SupercargoError {}

interface Entry {
  readonly method: number;
  readonly packedBytes: number;
  readonly bytes: number;
  readonly headerOffset: number;
}

const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const localSignature = 0x04034b50;
const endLength = 22;
const maxCommentLength = 0xffff;
const maxDirectoryBytes = 64 * 1024 * 1024;
const [stored, deflated] = [0, 8];

/** The content of one entry as a stream, which fails when it is shorter or longer than the archive says. */
export async function openZipEntry(file: string, name: string, signal?: AbortSignal): Promise<Readable> {
  signal?.throwIfAborted();
  const handle = await open(file);
  try {
    const entry = await findEntry(handle, file, name);
    const start = await contentOffset(handle, file, entry);
    if (entry.packedBytes === 0) {
      await handle.close();
      return Readable.from([]);
    }
    // The read stream owns the handle from here on and closes it.
    const packed = handle.createReadStream({ start, end: start + entry.packedBytes - 1 });
    const unpack = entry.method === deflated ? [createInflateRaw()] : [];
    const checked = checkLength(entry.bytes, `${file}: ${name}`);
    pipeline([packed, ...unpack, checked], () => {
      // The reader of `checked` gets the failure there.
    });
    if (signal) addAbortSignal(signal, checked);
    return checked;
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
}

/** The content of one entry in memory; rejects more than `maxBytes` before it unpacks anything. */
export async function readZipEntry(
  file: string,
  name: string,
  options: { readonly maxBytes: number; readonly signal?: AbortSignal },
): Promise<Buffer> {
  const handle = await open(file);
  try {
    const { bytes } = await findEntry(handle, file, name);
    if (bytes > options.maxBytes) {
      throw new ZipError('zip-too-large', `${file}: ${name} has ${bytes} bytes, more than ${options.maxBytes}`);
    }
  } finally {
    await handle.close();
  }
  return buffer(await openZipEntry(file, name, options.signal));
}

async function findEntry(handle: FileHandle, file: string, name: string): Promise<Entry> {
  const directory = await readDirectory(handle, file);
  const wanted = Buffer.from(name);
  for (let at = 0; at + 46 <= directory.length && directory.readUInt32LE(at) === entrySignature; ) {
    const nameLength = directory.readUInt16LE(at + 28);
    const found = directory.subarray(at + 46, at + 46 + nameLength);
    if (found.equals(wanted)) return readEntry(directory.subarray(at), `${file}: ${name}`);
    at += 46 + nameLength + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  throw new ZipError('zip-entry-missing', `${file}: there is no entry ${name}`);
}

function readEntry(record: Buffer, what: string): Entry {
  const method = record.readUInt16LE(10);
  const isEncrypted = (record.readUInt16LE(8) & 1) === 1;
  const packedBytes = record.readUInt32LE(20);
  const bytes = record.readUInt32LE(24);
  const headerOffset = record.readUInt32LE(42);
  const isZip64 = [packedBytes, bytes, headerOffset].includes(0xffffffff);
  if (isEncrypted || isZip64 || (method !== stored && method !== deflated)) {
    throw new ZipError('zip-unsupported', `${what} is encrypted, larger than 4 GiB or packed in an unknown way`);
  }
  return { method, packedBytes, bytes, headerOffset };
}

/** The central directory, found from the end of the file: only its entries are valid. */
async function readDirectory(handle: FileHandle, file: string): Promise<Buffer> {
  const { size } = await handle.stat();
  const tail = await read(
    handle,
    file,
    Math.max(0, size - endLength - maxCommentLength),
    Math.min(size, endLength + maxCommentLength),
  );
  for (let at = tail.length - endLength; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== endSignature || tail.readUInt16LE(at + 20) !== tail.length - at - endLength) continue;
    const length = tail.readUInt32LE(at + 12);
    const offset = tail.readUInt32LE(at + 16);
    if (length > maxDirectoryBytes || offset + length > size) break;
    return read(handle, file, offset, length);
  }
  throw new ZipError('zip-invalid', `${file} is not a zip archive`);
}

/** Name and extra field of the local header may differ in length from the directory's. */
async function contentOffset(handle: FileHandle, file: string, { headerOffset }: Entry): Promise<number> {
  const header = await read(handle, file, headerOffset, 30);
  if (header.readUInt32LE(0) !== localSignature) throw new ZipError('zip-invalid', `${file} is damaged`);
  return headerOffset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
}

async function read(handle: FileHandle, file: string, position: number, length: number): Promise<Buffer> {
  const { buffer: bytes, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
  if (bytesRead < length) throw new ZipError('zip-invalid', `${file} ends too early`);
  return bytes;
}

function checkLength(expected: number, what: string): Transform {
  let seen = 0;
  const fail = () => new ZipError('zip-invalid', `${what} does not have the ${expected} bytes it should have`);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length;
      if (seen > expected) done(fail());
      else done(null, chunk);
    },
    flush(done) {
      done(seen === expected ? null : fail());
    },
  });
}
