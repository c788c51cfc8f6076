import { SupercargoError } from './errors.ts';

/** A text that is not valid YAML for Kubernetes; the message starts with the position: `file:line:column: what`. */
export class YamlError extends SupercargoError {
  constructor(
    code: `yaml-${string}`,
    what: string,
    /** Both count from 1. */
    readonly at: { readonly file?: string | undefined; readonly line: number; readonly column: number },
  ) {
    super(code, `${at.file ?? '<yaml>'}:${at.line}:${at.column}: ${what}`);
  }
}

/** Finds lines by offset; the offsets of line breaks are computed once, when first needed. */
export class SourceText {
  private breaks: number[] | undefined;

  constructor(
    readonly text: string,
    readonly file: string | undefined,
    private readonly firstLine = 1,
  ) {}

  at(offset: number): { line: number; column: number } {
    this.breaks ??= [...this.text.matchAll(/\n/g)].map((found) => found.index);
    let low = 0;
    for (let high = this.breaks.length; low < high; ) {
      const middle = (low + high) >> 1;
      if (this.breaks[middle]! < offset) low = middle + 1;
      else high = middle;
    }
    return { line: low + this.firstLine, column: offset - (low === 0 ? -1 : this.breaks[low - 1]!) };
  }

  fail(code: `yaml-${string}`, what: string, offset: number): never {
    throw new YamlError(code, what, { file: this.file, ...this.at(offset) });
  }
}
