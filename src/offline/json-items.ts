import { maxYamlBytes, UsageError } from '../base/index.ts';
import { shownFile } from '../manifests/index.ts';
import type { Batch } from './batches.ts';

/** True if the text is JSON and not YAML. */
export const startsJson = (text: string) => /^\s*\{/.test(text);

/**
 * Splits a stream of JSON objects into batches without parsing it: between objects, and for an object with `items`, as
 * kubectl prints it, between the items. A batch of items becomes a List; an item without a kind gets the kind of its
 * list.
 */
export async function* jsonItems(
  file: string,
  first: string,
  rest: AsyncIterator<string>,
  batchLength: number,
): AsyncGenerator<Batch> {
  const scan = new Scan(file, batchLength);
  for (let piece: string | undefined = first; piece !== undefined; ) {
    yield* scan.feed(piece);
    const { value, done } = await rest.next();
    piece = done ? undefined : value;
  }
  scan.end();
}

const [quote, backslash, open, close, openList, closeList, lineBreak] = [34, 92, 123, 125, 91, 93, 10];

class Scan {
  private text = '';
  private at = 0;
  /** Start of the text that must be kept; undefined between objects and between items. */
  private start: number | undefined;
  private startLine = 1;
  private line = 1;
  private depth = 0;
  private isInText = false;
  /** `items`: inside the list of a List; `tail`: after it. */
  private place: 'object' | 'items' | 'tail' = 'object';
  private head = { kind: 'List', apiVersion: 'v1' };
  private items: string[] = [];
  private itemsLength = 0;
  private itemsLine = 1;

  constructor(
    private readonly file: string,
    private readonly batchLength: number,
  ) {}

  *feed(piece: string): Generator<Batch> {
    this.text = this.text.slice(this.start ?? this.at) + piece;
    this.at -= this.start ?? this.at;
    if (this.start !== undefined) this.start = 0;
    if (this.text.length > maxYamlBytes) this.fail('offline-too-large', `an object longer than ${maxYamlBytes} bytes`);
    for (; this.at < this.text.length; this.at++) {
      const c = this.text.charCodeAt(this.at);
      if (c === lineBreak) this.line++;
      if (this.isInText) {
        if (c === backslash) this.at++;
        else if (c === quote) this.isInText = false;
      } else if (c === quote) this.isInText = true;
      else if (c === open || c === openList) this.enter(c);
      else if (c === close || c === closeList) {
        const batch = this.leave();
        if (batch) yield batch;
      }
    }
  }

  private enter(c: number): void {
    this.depth++;
    const isStart = this.depth === 1 || (this.place === 'items' && this.depth === 3);
    if (isStart) {
      this.start = this.at;
      this.startLine = this.line;
      if (this.items.length === 0) this.itemsLine = this.line;
    } else if (this.place === 'object' && this.depth === 2 && c === openList) this.beginItems();
  }

  private beginItems(): void {
    const head = this.text.slice(this.start, this.at);
    if (!/"items"\s*:\s*$/.test(head)) return;
    const [, kind = 'List'] = /"kind"\s*:\s*"([^"\\]*)"/.exec(head) ?? [];
    const [, apiVersion = 'v1'] = /"apiVersion"\s*:\s*"([^"\\]*)"/.exec(head) ?? [];
    this.head = { kind, apiVersion };
    this.place = 'items';
    this.start = undefined;
  }

  private leave(): Batch | undefined {
    this.depth--;
    if (this.place === 'items' && this.depth === 2) {
      const item = this.take();
      this.items.push(item);
      this.itemsLength += item.length;
      return this.itemsLength >= this.batchLength ? this.takeItems() : undefined;
    }
    if (this.place === 'items' && this.depth === 1) {
      this.place = 'tail';
      return this.takeItems();
    }
    if (this.depth !== 0) return undefined;
    const isTail = this.place === 'tail';
    this.place = 'object';
    return isTail ? undefined : { file: this.file, line: this.startLine, text: this.take() };
  }

  private take(): string {
    const text = this.text.slice(this.start, this.at + 1);
    this.start = undefined;
    return text;
  }

  private takeItems(): Batch | undefined {
    if (this.items.length === 0) return undefined;
    const head = JSON.stringify(this.head).slice(0, -1);
    const batch = { file: this.file, line: this.itemsLine, text: `${head},"items":[${this.items.join(',\n')}]}` };
    this.items = [];
    this.itemsLength = 0;
    return batch;
  }

  end(): void {
    if (this.depth !== 0) this.fail('offline-unfinished', 'the JSON ends before it is whole');
  }

  private fail(code: string, what: string): never {
    throw new UsageError(code, `${shownFile(this.file)}:${this.line}: ${what}`);
  }
}
