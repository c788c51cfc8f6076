/** Bounds that hold for every template, whoever wrote it. */
export interface Limits {
  /** Work one rendering may do: one unit for an action, an iteration, a call, or 16 characters a function makes. */
  readonly steps: number;
  /** Wall time of one rendering. */
  readonly timeMs: number;
  /** Templates that call each other (`template`, `include`, `tpl`), and nesting of values that are printed. */
  readonly depth: number;
  /** Characters of output. */
  readonly output: number;
}

/** At 50 to 500 ns a unit the steps of the default are mostly spent before its time. */
export const defaultLimits: Limits = { steps: 2_000_000, timeMs: 5_000, depth: 500, output: 16 * 1_048_576 };

/** Longest template text. */
export const maxTemplateLength = 4 * 1_048_576;

/** Nesting of actions and of parentheses: parser and compiled closures recurse this deep. */
export const maxNesting = 500;

/** Patterns beyond this compile to programs that cost megabytes. */
export const maxPatternLength = 16_384;
