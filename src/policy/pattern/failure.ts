/**
 * Why a pattern did not match. `skip`: an anchor said that the rule does not apply; `negation`: a forbidden key is
 * there; `mismatch`: everything else. The kind is never read out of the text, which may quote the object.
 */
export interface PatternFailure {
  readonly kind: 'skip' | 'negation' | 'mismatch';
  /** Set on a skip that comes from an anchor itself and not from a list or map that collected several. */
  readonly isDirect: boolean;
  /** The place in the object, `/spec/containers/0/image/`; empty when no place is to blame. */
  readonly path: string;
  /** The text is made only when asked for: most failures are weighed and forgotten. */
  message(): string;
}

export function mismatch(path: string, message: () => string): PatternFailure {
  return { kind: 'mismatch', isDirect: false, path, message };
}

export function forbidden(path: string): PatternFailure {
  return {
    kind: 'negation',
    isDirect: true,
    path,
    message: () => `negation anchor matched in resource: ${path} is not allowed`,
  };
}

/** An anchor's condition is not met, for the reason given. */
export function notApplicable(anchor: 'conditional' | 'global', path: string, reason: () => string): PatternFailure {
  return { kind: 'skip', isDirect: true, path, message: () => `${anchor} anchor mismatch: ${reason()}` };
}

/** All that could apply was skipped. */
export function allSkipped(path: string, skips: readonly PatternFailure[]): PatternFailure {
  return { kind: 'skip', isDirect: false, path, message: () => skips.map((skip) => skip.message()).join('; ') };
}
