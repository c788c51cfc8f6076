import { PolicyError } from '../errors.ts';
import { compileElement } from './element.ts';
import { type Check, MatchRun } from './run.ts';

/**
 * The outcome of matching a pattern. `fail` has the path; `error` is a mismatch without a path: an anchored key of the
 * pattern does not exist in the object, or the pattern itself is not valid there.
 */
export type PatternOutcome =
  | { readonly kind: 'pass' }
  | { readonly kind: 'skip'; readonly path: string; readonly message: string }
  | { readonly kind: 'fail'; readonly path: string; readonly message: string }
  | { readonly kind: 'error'; readonly path: string; readonly message: string };

/** A compiled pattern, to be matched any number of times. */
interface PatternProgram {
  match(resource: unknown): PatternOutcome;
}

const programs = new WeakMap<object, PatternProgram>();
const passed: PatternOutcome = { kind: 'pass' };

/**
 * Compiles a pattern whose variables and references are resolved. Programs are cached by object identity, so the pattern
 * must not be changed afterwards. Throws only `policy-pattern-too-deep`.
 */
export function compilePattern(pattern: unknown): PatternProgram {
  if (typeof pattern !== 'object' || pattern === null) return new CompiledPattern(compileElement(pattern, 0).check);
  let program = programs.get(pattern);
  if (program === undefined) {
    program = new CompiledPattern(compileElement(pattern, 0).check);
    programs.set(pattern, program);
  }
  return program;
}

class CompiledPattern implements PatternProgram {
  constructor(private readonly check: Check) {}

  match(resource: unknown): PatternOutcome {
    try {
      if (this.check(resource, '', new MatchRun(false)) === undefined) return passed;
      const run = new MatchRun(true);
      const failure = this.check(resource, '/', run);
      if (failure === undefined) return passed;
      const message = failure.message();
      if (failure.kind === 'skip') return { kind: 'skip', path: failure.path, message };
      const isPlaceless = failure.kind === 'mismatch' && (failure.path === '' || run.areKeysMissing());
      return isPlaceless ? { kind: 'error', path: '', message } : { kind: 'fail', path: failure.path, message };
    } catch (thrown) {
      if (!(thrown instanceof PolicyError)) throw thrown;
      return { kind: 'error', path: '', message: thrown.message };
    }
  }
}
