import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import {
  errorCode,
  errorMessage,
  isJsonObject,
  type Json,
  type JsonObject,
  parseJson,
  SupercargoError,
} from '../../base/index.ts';
import type { KubeObject } from '../../object/index.ts';
import { lockDirectory } from './directory-lock.ts';
import { type Entry, jsonOf } from './entry.ts';
import type { Store } from './store.ts';

export class JournalError extends SupercargoError {}

type JournalRecord =
  | { readonly storage: string; readonly key: string; readonly entry: Entry }
  | { readonly storage: string; readonly key: string; readonly revision: number };

/**
 * An append-only log with snapshots: `snapshot-N.jsonl` is the state at the start of `log-N.jsonl`. A record is one
 * line, written completely before the change is acknowledged, so that a killed process loses no acknowledged change. (A
 * power failure may lose the last second: the log is synced on rotation and close, not on every write.)
 */
export class Journal {
  private fd: number;
  private bytes: number;
  private endsUnfinished = false;
  private readonly rotateBytes: number;
  private rotateAt: number;

  private constructor(
    private readonly dir: string,
    private generation: number,
    private readonly unlock: () => void,
    options: { readonly rotateBytes?: number },
  ) {
    this.rotateBytes = options.rotateBytes ?? 64 * 1024 * 1024;
    this.rotateAt = this.rotateBytes;
    this.fd = openSync(this.path('log', generation), 'a', 0o600);
    this.bytes = fstatSync(this.fd).size;
  }

  /** Opens the directory and replays it into the store that `create` makes with the journal. */
  static open(
    dir: string,
    create: (journal: Journal) => Store,
    options: { readonly rotateBytes?: number } = {},
  ): Store {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    const unlock = lockDirectory(dir);
    try {
      return openLocked();
    } catch (thrown) {
      unlock();
      throw thrown;
    }

    function openLocked(): Store {
      const generations = listGenerations(dir);
      const snapshot = generations.snapshots.at(-1);
      const first = snapshot ?? 0;
      const logs = generations.logs.filter((n) => n >= first);
      checkComplete(dir, first, logs);
      const journal = new Journal(dir, logs.at(-1) ?? first, unlock, options);
      const store = create(journal);
      if (snapshot !== undefined) replay(store, journal.path('snapshot', snapshot), false);
      for (const log of logs) {
        const isLast = log === journal.generation;
        const keep = replay(store, journal.path('log', log), isLast);
        if (isLast && keep < journal.bytes) {
          // The process died during its last write: that line was never acknowledged.
          ftruncateSync(journal.fd, keep);
          journal.bytes = keep;
        }
      }
      store.sealHistory();
      journal.removeBefore(first);
      return store;
    }
  }

  append(record: JournalRecord): void {
    const line =
      'entry' in record
        ? `{"s":${JSON.stringify(record.storage)},"k":${JSON.stringify(record.key)},"r":${record.entry.revision},"o":${jsonOf(record.entry)}}\n`
        : `{"s":${JSON.stringify(record.storage)},"k":${JSON.stringify(record.key)},"r":${record.revision}}\n`;
    const data = Buffer.from(line);
    try {
      this.dropUnfinishedLine();
      this.endsUnfinished = true;
      for (let at = 0; at < data.length; ) at += writeSync(this.fd, data, at);
      this.endsUnfinished = false;
      this.bytes += data.length;
    } catch (thrown) {
      const hint = errorCode(thrown) === 'ENOSPC' ? '; free space on the disk and try again' : '';
      throw new JournalError('journal-write', `cannot write to ${this.dir}: ${errorMessage(thrown)}${hint}`, {
        cause: thrown,
        retry: 'backoff',
      });
    }
  }

  get wantsRotation(): boolean {
    return this.bytes > this.rotateAt;
  }

  /** Writes the whole state as a new snapshot and starts an empty log. On failure the old log stays in use. */
  rotate(store: Store): void {
    this.dropUnfinishedLine();
    const next = this.generation + 1;
    const temporary = this.path('snapshot', next, '.partial');
    const log = openSync(this.path('log', next), 'a', 0o600);
    try {
      const out = openSync(temporary, 'w', 0o600);
      try {
        // The last change may have been a removal, which leaves no object with its revision.
        writeWhole(out, `{"r":${store.revision}}\n`);
        for (const storage of store.storages()) writeSnapshot(out, storage, store);
        fsyncSync(out);
      } finally {
        closeSync(out);
      }
      renameSync(temporary, this.path('snapshot', next));
    } catch (thrown) {
      // Do not retry with the next write: on a full disk each write would cost a snapshot.
      this.rotateAt = this.bytes + this.rotateBytes;
      closeSync(log);
      rmSync(this.path('log', next), { force: true });
      rmSync(temporary, { force: true });
      throw thrown;
    }
    closeSync(this.fd);
    this.fd = log;
    this.bytes = 0;
    this.rotateAt = this.rotateBytes;
    this.generation = next;
    this.removeBefore(next);
  }

  close(): void {
    fsyncSync(this.fd);
    closeSync(this.fd);
    this.unlock();
  }

  /**
   * Called before the next record, not right after the failure: truncating may fail for the same reason. Replay also
   * drops such an incomplete line.
   */
  private dropUnfinishedLine(): void {
    if (!this.endsUnfinished) return;
    ftruncateSync(this.fd, this.bytes);
    this.endsUnfinished = false;
  }

  private removeBefore(generation: number): void {
    const { logs, snapshots, partials } = listGenerations(this.dir);
    for (const n of logs) if (n < generation) rmSync(this.path('log', n), { force: true });
    for (const n of snapshots) if (n < generation) rmSync(this.path('snapshot', n), { force: true });
    for (const n of partials) rmSync(this.path('snapshot', n, '.partial'), { force: true });
  }

  private path(what: 'log' | 'snapshot', generation: number, suffix = ''): string {
    return join(this.dir, `${what}-${generation}.jsonl${suffix}`);
  }
}

interface Generations {
  readonly logs: readonly number[];
  readonly snapshots: readonly number[];
  /** Incomplete snapshots. */
  readonly partials: readonly number[];
}

function listGenerations(dir: string): Generations {
  const names = readdirSync(dir);
  const numbered = (pattern: RegExp) =>
    names.flatMap((name) => pattern.exec(name)?.slice(1).map(Number) ?? []).sort((a, b) => a - b);
  return {
    logs: numbered(/^log-(\d+)\.jsonl$/),
    snapshots: numbered(/^snapshot-(\d+)\.jsonl$/),
    partials: numbered(/^snapshot-(\d+)\.jsonl\.partial$/),
  };
}

/** A killed process leaves no gap; replaying over one would restore a state that never existed. */
function checkComplete(dir: string, first: number, logs: readonly number[]): void {
  const gap = logs.findIndex((log, index) => log !== first + index);
  if (gap === -1) return;
  const missing = gap === 0 && first === 0 ? `snapshot-${logs[0]}.jsonl` : `log-${first + gap}.jsonl`;
  throw new JournalError(
    'journal-incomplete',
    `${dir} lacks ${missing}; restore the file from a copy or remove the directory`,
  );
}

function writeSnapshot(fd: number, storage: string, store: Store): void {
  const collection = store.collection(storage);
  let chunk = '';
  const flush = () => {
    writeWhole(fd, chunk);
    chunk = '';
  };
  for (const { key, entry } of collection.keyed()) {
    chunk += `{"s":${JSON.stringify(storage)},"k":${JSON.stringify(key)},"r":${entry.revision},"o":${jsonOf(entry)}}\n`;
    if (chunk.length > 1 << 20) flush();
  }
  flush();
}

function writeWhole(fd: number, text: string): void {
  const data = Buffer.from(text);
  for (let at = 0; at < data.length; ) at += writeSync(fd, data, at);
}

/**
 * Applies each line and returns the number of bytes in complete lines. An incomplete last line is allowed only with
 * `mayEndUnfinished`.
 */
function replay(store: Store, path: string, mayEndUnfinished: boolean): number {
  const data = readFileSync(path);
  let at = 0;
  for (let line = 1; at < data.length; line++) {
    const end = data.indexOf(10, at);
    if (end === -1) {
      if (mayEndUnfinished) return at;
      throw new JournalError(
        'journal-corrupt',
        `${path}:${line}: the last record is unfinished; restore the file from a copy or remove the directory`,
      );
    }
    applyLine(store, data.toString('utf8', at, end), `${path}:${line}`);
    at = end + 1;
  }
  return at;
}

function applyLine(store: Store, text: string, where: string): void {
  const corrupt = (why: string) =>
    new JournalError(
      'journal-corrupt',
      `${where}: not a record: ${why}; restore the file from a copy or remove the directory`,
    );
  let record: Json;
  try {
    record = parseJson(text);
  } catch (thrown) {
    throw corrupt(errorMessage(thrown));
  }
  if (!isJsonObject(record) || typeof record['r'] !== 'number') throw corrupt('it has no revision');
  const { s: storage, k: key, r: revision, o: object } = record as JsonObject & { readonly r: number };
  if (storage === undefined && key === undefined) store.restoreRevision(revision);
  else if (typeof storage !== 'string' || typeof key !== 'string') throw corrupt('it has no key');
  else if (object === undefined) store.restoreRemoval(storage, key, revision);
  else if (!isJsonObject(object)) throw corrupt('its object is none');
  else store.restore(storage, key, object as unknown as KubeObject, revision);
}
