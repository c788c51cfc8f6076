import { hashText } from './text-hash.ts';

/**
 * Texts by small numbers, each stored once however many results use it, and released with the last of them. A text's
 * JSON size and hash are computed once.
 */
export class TextTable {
  private readonly ids = new Map<string, number>();
  private readonly texts: string[] = [];
  private readonly users: number[] = [];
  private readonly sizes: number[] = [];
  private readonly hashesA: number[] = [];
  private readonly hashesB: number[] = [];
  private readonly free: number[] = [];

  get size(): number {
    return this.ids.size;
  }

  /** Counts one more user of the text. */
  hold(text: string): number {
    const known = this.ids.get(text);
    if (known !== undefined) {
      this.users[known]!++;
      return known;
    }
    const id = this.free.pop() ?? this.texts.length;
    const { a, b } = hashText(text);
    this.ids.set(text, id);
    this.texts[id] = text;
    this.users[id] = 1;
    this.sizes[id] = Buffer.byteLength(JSON.stringify(text));
    this.hashesA[id] = a;
    this.hashesB[id] = b;
    return id;
  }

  /** The number of a text that is in use. */
  find(text: string): number | undefined {
    return this.ids.get(text);
  }

  release(id: number): void {
    if (--this.users[id]! > 0) return;
    this.ids.delete(this.texts[id]!);
    this.texts[id] = '';
    this.free.push(id);
  }

  text(id: number): string {
    return this.texts[id]!;
  }

  jsonBytes(id: number): number {
    return this.sizes[id]!;
  }

  hashA(id: number): number {
    return this.hashesA[id]!;
  }

  hashB(id: number): number {
    return this.hashesB[id]!;
  }
}
