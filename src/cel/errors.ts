import { SupercargoError } from '../base/index.ts';

/** A mistake in an expression; line from 1, column from 0 in code points, as the parser counts. */
export interface CelIssue {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

export type CelErrorCode = 'cel-syntax' | 'cel-type' | 'cel-program' | 'cel-cost';

/** An expression that cannot be compiled; the message shows every issue with its place in the text. */
export class CelCompileError extends SupercargoError {
  constructor(
    code: CelErrorCode,
    message: string,
    readonly issues: readonly CelIssue[],
  ) {
    super(code, message);
  }
}

/** Thrown through an evaluation that costs more than it may. */
export class CelCostError extends SupercargoError {
  constructor() {
    super('cel-cost', 'operation cancelled: actual cost limit exceeded');
  }
}

/** The issues in the order of their places, each with its line of the source and a mark. */
export function renderIssues(source: string, issues: readonly CelIssue[], total: number): string {
  const lines = source.split('\n');
  const sorted = [...issues].sort((a, b) => a.line - b.line || a.column - b.column);
  const shown = sorted.map((issue) => renderIssue(lines, issue));
  if (total > issues.length) shown.push(`${total - issues.length} more errors were truncated`);
  return shown.join('\n');
}

const maxSnippet = 16_384;

function renderIssue(lines: readonly string[], { line, column, message }: CelIssue): string {
  const head = `ERROR: <input>:${line}:${column + 1}: ${message}`;
  const text = lines[line - 1];
  if (text === undefined || Buffer.byteLength(text) > maxSnippet) return head;
  const snippet = text.replaceAll('\t', ' ');
  const characters = [...snippet];
  const before = characters.slice(0, column).map((c) => (isWide(c) ? '．' : '.'));
  const at = characters[column];
  const mark = at !== undefined && isWide(at) ? '＾' : '^';
  return `${head}\n | ${snippet}\n | ${before.join('')}${mark}`;
}

const isWide = (character: string) => (character.codePointAt(0) ?? 0) > 0x7f;
