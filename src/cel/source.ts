import { CelCompileError, type CelErrorCode, type CelIssue, renderIssues } from './errors.ts';
import { maxIssues } from './limits.ts';

/** The text of an expression and what is wrong with it. */
export class Source {
  private readonly issues: CelIssue[] = [];
  private total = 0;
  private lineStarts: number[] | undefined;

  constructor(readonly text: string) {}

  get hasIssues(): boolean {
    return this.total > 0;
  }

  /** An offset below 0 stands for no place. */
  report(offset: number, message: string): void {
    if (++this.total <= maxIssues) this.issues.push({ ...this.place(offset), message });
  }

  error(code: CelErrorCode): CelCompileError {
    return new CelCompileError(code, renderIssues(this.text, this.issues, this.total), this.issues);
  }

  private place(offset: number): { line: number; column: number } {
    if (offset < 0) return { line: -1, column: -1 };
    this.lineStarts ??= lineStarts(this.text);
    let line = this.lineStarts.length - 1;
    while (line > 0 && (this.lineStarts[line] as number) > offset) line--;
    const start = this.lineStarts[line] as number;
    return { line: line + 1, column: [...this.text.slice(start, offset)].length };
  }
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}
