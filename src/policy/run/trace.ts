import type { CelStep } from '../../cel/index.ts';

/** What happened inside a rule, in the order it happened: the material of an explanation. */
export type TraceStep =
  | { readonly kind: 'match'; readonly mismatch?: string }
  | {
      readonly kind: 'condition';
      readonly where: string;
      readonly block: 'any' | 'all';
      readonly operator: string;
      readonly written: unknown;
      readonly key: unknown;
      readonly value: unknown;
      readonly holds: boolean;
    }
  | { readonly kind: 'conditions'; readonly where: string; readonly hold: boolean }
  | {
      readonly kind: 'element';
      readonly list: string;
      readonly index: number;
      readonly element: unknown;
      /** How deep inside loops; 0 for the outermost. */
      readonly depth: number;
    }
  /** A loop whose list has no elements, or is not there. */
  | { readonly kind: 'emptyList'; readonly list: string; readonly why: string; readonly depth: number }
  | {
      readonly kind: 'pattern';
      readonly where: string;
      readonly outcome: string;
      readonly path?: string;
      readonly message?: string;
      readonly expected?: unknown;
      readonly found?: unknown;
    }
  /** A place that an assertion tree looked at. */
  | {
      readonly kind: 'assertion';
      readonly path: string;
      readonly holds: boolean;
      readonly expected?: unknown;
      readonly found?: unknown;
      readonly message: string;
    }
  /** A CEL expression, with its value as JSON or its error, and its parts with theirs. */
  | {
      readonly kind: 'expression';
      readonly where: string;
      readonly expression: string;
      readonly value?: unknown;
      readonly error?: string;
      readonly steps?: readonly CelStep[];
    }
  | { readonly kind: 'control'; readonly control: string; readonly allowed: boolean; readonly message: string }
  | { readonly kind: 'exception'; readonly name: string };
