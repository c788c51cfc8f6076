import { createHash } from 'node:crypto';
import { renderJson } from '../base/index.ts';
import type { KnownForm } from './own-reports.ts';
import { type ReportedStatus, type ResultContent, type ResultHead, reportedStatuses } from './result.ts';
import type { TextHash } from './text-hash.ts';

/**
 * Results of a scan in a form that a later start reads instead of evaluating again. It says for each object in which
 * version it was evaluated, and for each policy in which revision. Pure: it knows neither files nor the cluster.
 */
export interface CheckpointFacts {
  /** The code that evaluated, and settings that its results depend on. */
  readonly program: string;
  /** When the last scan of everything began. */
  readonly scannedSeconds: number;
  /** Digest of each policy whose results are kept, by its key. */
  readonly policies: Readonly<Record<string, string>>;
  /** Digest of all exceptions. */
  readonly exceptions: string;
  /** What is known of our reports. */
  readonly reports: readonly (readonly [key: string, form: KnownForm])[];
  /** The labels of each namespace with objects, as JSON. */
  readonly namespaces: Readonly<Record<string, string>>;
}

/** What was evaluated, as far as results depend on it. */
export interface EvaluatedObject {
  readonly uid: string;
  readonly version: string;
  readonly body: TextHash;
  readonly status: TextHash;
  readonly node: number;
  /** The kinds of its controllers. */
  readonly controllers: string;
}

const numbersOfObject = 7;
const numbersOfResult = 5;

interface Header extends CheckpointFacts {
  readonly heads: readonly ResultHead[];
  readonly texts: readonly string[];
  readonly kinds: readonly { readonly kind: string; readonly uids: readonly string[]; readonly versions: string[] }[];
}

/** Collects a checkpoint object by object. */
export class CheckpointBuilder {
  private readonly heads = new Numbering<ResultHead>();
  private readonly texts = new Numbering<string>();
  private readonly kinds: { kind: string; uids: string[]; versions: string[] }[] = [];
  private numbers = new Uint32Array(1024);
  private used = 0;
  private countAt = 0;

  beginKind(kind: string): void {
    this.kinds.push({ kind, uids: [], versions: [] });
  }

  /** The results that are added next are of this object. */
  beginObject({ uid, version, body, status, node, controllers }: EvaluatedObject): void {
    const { uids, versions } = this.kinds.at(-1)!;
    uids.push(uid);
    versions.push(version);
    this.countAt = this.used + numbersOfObject - 1;
    this.push([body.a, body.b, status.a, status.b, node, this.texts.of(controllers), 0]);
  }

  addResult(head: ResultHead, { result, message, properties, seconds = 0 }: Omit<ResultContent, 'head'>): void {
    this.numbers[this.countAt]!++;
    this.push([
      this.heads.of(head),
      reportedStatuses.indexOf(result),
      this.texts.of(message),
      this.texts.of(properties),
      seconds,
    ]);
  }

  /** Header, its length before it, and the numbers after it. */
  finish(facts: CheckpointFacts): Buffer {
    const header: Header = { ...facts, heads: this.heads.all, texts: this.texts.all, kinds: this.kinds };
    const json = Buffer.from(JSON.stringify(header));
    const length = Buffer.alloc(4);
    length.writeUInt32LE(json.length);
    return Buffer.concat([length, json, Buffer.from(this.numbers.buffer, 0, this.used * 4)]);
  }

  private push(numbers: readonly number[]): void {
    if (this.used + numbers.length > this.numbers.length) {
      const larger = new Uint32Array(this.numbers.length * 2);
      larger.set(this.numbers);
      this.numbers = larger;
    }
    for (const number of numbers) this.numbers[this.used++] = number;
  }
}

/** A checkpoint that was read. */
export class Checkpoint {
  private readonly places = new Map<string, Map<string, { readonly version: string; readonly at: number }>>();

  private constructor(
    private readonly header: Header,
    private readonly numbers: Uint32Array,
  ) {
    let at = 0;
    for (const { kind, uids, versions } of header.kinds) {
      const ofKind = new Map<string, { version: string; at: number }>();
      for (const [i, uid] of uids.entries()) {
        ofKind.set(uid, { version: versions[i]!, at });
        at += numbersOfObject + numbers[at + numbersOfObject - 1]! * numbersOfResult;
      }
      this.places.set(kind, ofKind);
    }
    if (at !== numbers.length) throw new Error('a checkpoint of another length than its counts say');
  }

  /** Throws for what no builder of this program made. */
  static parse(bytes: Buffer): Checkpoint {
    const end = 4 + bytes.readUInt32LE();
    const header = JSON.parse(bytes.toString('utf8', 4, end)) as Header;
    const numbers = new Uint32Array(bytes.buffer.slice(bytes.byteOffset + end, bytes.byteOffset + bytes.length));
    return new Checkpoint(header, numbers);
  }

  get facts(): CheckpointFacts {
    return this.header;
  }

  get size(): number {
    return [...this.places.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** The results by policy, if the object was evaluated exactly as it is now. */
  resultsOf(kind: string, object: EvaluatedObject): ReadonlyMap<string, readonly ResultContent[]> | undefined {
    const place = this.places.get(kind)?.get(object.uid);
    if (!place || place.version !== object.version) return undefined;
    const { header, numbers } = this;
    const { body, status, node } = object;
    const expected = [body.a, body.b, status.a, status.b, node];
    if (expected.some((number, i) => numbers[place.at + i] !== number >>> 0)) return undefined;
    if (header.texts[numbers[place.at + 5]!] !== object.controllers) return undefined;
    const byPolicy = new Map<string, ResultContent[]>();
    const count = numbers[place.at + numbersOfObject - 1]!;
    for (let i = 0, at = place.at + numbersOfObject; i < count; i++, at += numbersOfResult) {
      const head = header.heads[numbers[at]!]!;
      const content: ResultContent = {
        head,
        result: reportedStatuses[numbers[at + 1]!] as ReportedStatus,
        message: header.texts[numbers[at + 2]!]!,
        properties: header.texts[numbers[at + 3]!]!,
        process: 'background',
        seconds: numbers[at + 4]!,
      };
      const before = byPolicy.get(head.policy);
      if (before) before.push(content);
      else byPolicy.set(head.policy, [content]);
    }
    return byPolicy;
  }
}

export function digestOf(value: unknown): string {
  return createHash('sha256').update(renderJson(value)).digest('base64');
}

/** Numbers values in the order in which they are first seen. */
class Numbering<T> {
  private readonly numbers = new Map<T, number>();

  get all(): readonly T[] {
    return [...this.numbers.keys()];
  }

  of(value: T): number {
    let number = this.numbers.get(value);
    if (number === undefined) this.numbers.set(value, (number = this.numbers.size));
    return number;
  }
}
