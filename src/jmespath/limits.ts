/**
 * Bounds that hold for every expression, whoever wrote it. An expression may carry whole documents as literals
 * (Kyverno pastes resolved variables into the text), hence a length far beyond what a person types.
 */
export const maxExpressionLength = 1_048_576;

/** Nesting of the syntax tree; chains like `a || b || c` nest too. Compiled closures recurse this deep. */
export const maxNesting = 500;

/**
 * Work one evaluation may do: one unit for an element visited, a function called, or 32 characters of text made or
 * searched. At some 30 ns a unit the default is well below a second.
 */
export const defaultSteps = 5_000_000;

/** Longest text a function may produce. */
export const maxTextLength = 16 * 1_048_576;

/** Patterns beyond this compile to programs that cost megabytes. */
export const maxPatternLength = 16_384;
