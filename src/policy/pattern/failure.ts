/**
 * Why a pattern did not match. `skip`: by an anchor, the rule does not apply; `negation`: a forbidden key exists;
 * `mismatch`: everything else. The kind is never derived from the text, because the text may quote the object.
 */
export interface PatternFailure {
  readonly kind: 'skip' | 'negation' | 'mismatch';
  /** Set on a skip of an anchor itself, not of a list or map that collected several. */
  readonly isDirect: boolean;
  /** The path in the object, `/spec/containers/0/image/`; empty if there is none. */
  readonly path: string;
  /** Lazy, because most failures are only counted and then discarded. */
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

/** The condition of an anchor is not met. */
export function notApplicable(anchor: 'conditional' | 'global', path: string, reason: () => string): PatternFailure {
  return { kind: 'skip', isDirect: true, path, message: () => `${anchor} anchor mismatch: ${reason()}` };
}

/** All applicable parts were skipped. */
export function allSkipped(path: string, skips: readonly PatternFailure[]): PatternFailure {
  return { kind: 'skip', isDirect: false, path, message: () => skips.map((skip) => skip.message()).join('; ') };
}
