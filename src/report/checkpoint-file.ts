import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip, constants as zlibConstants } from 'node:zlib';
import { SupercargoError } from '../base/index.ts';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

const magic = Buffer.from('supercargo report checkpoint 1\n');
const digestBytes = 32;
/** On disk; the temporary volume of an installation holds 64 MiB. */
const maxFileBytes = 16 << 20;
const maxBytes = 512 << 20;

const invalid = (problem: string) => new SupercargoError('report-checkpoint', `the checkpoint of reports ${problem}`);

/**
 * Undefined if there is none. Throws for a file that is damaged, or that anybody else may have written: it must be a plain
 * file of our own that nobody else may write or read. That is checked on the opened file, so that no link and no race can
 * put another one in its place.
 */
export async function readCheckpointFile(path: string): Promise<Buffer | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT') return undefined;
    throw thrown;
  });
  if (!file) return undefined;
  try {
    const { uid, mode, size, nlink } = await file.stat();
    const { S_IFMT, S_IFREG } = constants;
    if ((mode & S_IFMT) !== S_IFREG || nlink !== 1) throw invalid('is not a plain file');
    if (process.getuid && (uid !== process.getuid() || (mode & 0o077) !== 0))
      throw invalid('belongs to another user, or is open to others');
    if (size > maxFileBytes) throw invalid('is too large');
    const content = await file.readFile();
    const start = magic.length + digestBytes;
    if (!content.subarray(0, magic.length).equals(magic)) throw invalid('has another format');
    const packed = content.subarray(start);
    if (!sha256(packed).equals(content.subarray(magic.length, start))) throw invalid('is damaged');
    return await decompress(packed, { maxOutputLength: maxBytes });
  } finally {
    await file.close();
  }
}

/** Replaces the file at once: whoever reads finds the old one or the new one. */
export async function writeCheckpointFile(path: string, bytes: Buffer): Promise<void> {
  if (bytes.length > maxBytes) throw invalid('would be too large');
  const packed = await compress(bytes, { level: zlibConstants.Z_BEST_SPEED });
  if (packed.length > maxFileBytes) throw invalid('would be too large');
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // A restarted container has the same process id: what a killed process left is removed, not added to.
  const temporary = `${path}.${process.pid}`;
  await rm(temporary, { force: true });
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  try {
    const file = await open(temporary, flags, 0o600);
    try {
      await file.writev([magic, sha256(packed), packed]);
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (thrown) {
    await rm(temporary, { force: true }).catch(() => {});
    throw thrown;
  }
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();
