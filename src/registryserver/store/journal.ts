import { type FileHandle, open, readFile, rename, truncate, writeFile } from 'node:fs/promises';
import { errorCode, isJsonObject, type JsonObject, SupercargoError } from '../../base/index.ts';

/** Append-only lines of JSON. A line that a crash left incomplete is dropped at the next start. */
export interface Journal {
  append(record: JsonObject): Promise<void>;
  close(): Promise<void>;
}

/** Reads the records of the file; truncates an incomplete last line. */
export async function readJournal(file: string): Promise<JsonObject[]> {
  let bytes: Buffer;
  try {
    bytes = await readFile(file);
  } catch (thrown) {
    if (errorCode(thrown) === 'ENOENT') return [];
    throw thrown;
  }
  const end = bytes.lastIndexOf(0x0a) + 1;
  if (end < bytes.length) await truncate(file, end);
  const lines = bytes.subarray(0, end).toString('utf8').split('\n').slice(0, -1);
  return lines.map((line, i) => {
    const record = parseLine(line);
    if (record === undefined)
      throw new SupercargoError(
        'registry-journal-damaged',
        `${file}: line ${i + 1} is damaged; remove the registry's folder to start afresh`,
      );
    return record;
  });
}

function parseLine(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Replaces the file atomically by these records. */
export async function rewriteJournal(file: string, records: Iterable<JsonObject>): Promise<void> {
  const text = [...records].map((record) => `${JSON.stringify(record)}\n`).join('');
  await writeFile(`${file}.new`, text);
  await rename(`${file}.new`, file);
}

export async function openJournal(file: string): Promise<Journal> {
  const handle: FileHandle = await open(file, 'a');
  let waiting: { readonly line: string; readonly resolve: () => void; readonly reject: (thrown: unknown) => void }[] =
    [];
  let writing: Promise<void> | undefined;

  /** Records that accumulate during one write are written together in the next. */
  const drain = async () => {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        await handle.appendFile(batch.map(({ line }) => line).join(''));
        for (const { resolve } of batch) resolve();
      } catch (thrown) {
        for (const { reject } of batch) reject(thrown);
      }
    }
    writing = undefined;
  };
  return {
    append: (record) =>
      new Promise((resolve, reject) => {
        waiting.push({ line: `${JSON.stringify(record)}\n`, resolve, reject });
        writing ??= drain();
      }),
    async close() {
      await writing;
      await handle.close();
    },
  };
}
