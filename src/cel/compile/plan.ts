import type { Checked } from '../checker/checker.ts';
import type { Environment } from '../environment.ts';
import type { Eval } from './frame.ts';

/**
 * A node on its way to a closure. What it costs follows the reference implementation: an identifier or the value that
 * is selected from costs 1 when it is evaluated, each selection 1, a branch of a conditional that is one nothing of its
 * own.
 */
export interface Plan {
  readonly eval: Eval;
  /** Set for constants. */
  readonly constant?: { readonly value: unknown };
  /** Set for what can be selected from and for what is selected. */
  readonly attribute?: Attribute;
}

export type Attribute =
  | {
      readonly kind: 'path';
      readonly base: Eval;
      /** Of a variable that is kept in the frame; see `readPlace`. */
      readonly place?: number | undefined;
      readonly steps: readonly Step[];
    }
  | { readonly kind: 'branch'; readonly condition: Eval; readonly yes: Attribute; readonly no: Attribute };

/** A selection by a field or an index. */
export type Step =
  | { readonly kind: 'field'; readonly name: string; readonly isOptional: boolean }
  | { readonly kind: 'test'; readonly name: string }
  | { readonly kind: 'key'; readonly key: unknown; readonly isOptional: boolean }
  | { readonly kind: 'index'; readonly index: Eval; readonly isOptional: boolean };

/** A variable of a loop, or a value with a name. */
export type Local = Pick<Extract<Attribute, { kind: 'path' }>, 'base' | 'place'>;

/** What compiling one expression needs to know everywhere. */
export interface Context {
  readonly checked: Checked;
  readonly environment: Environment;
  /** Places of the variables among the inputs. */
  readonly inputs: ReadonlyMap<string, number>;
  /** Receives the places of the variables that are read. */
  readonly reads: Set<number>;
  /** The variables of the loops around. */
  readonly locals: ReadonlyMap<string, Local>;
  /** Hands out places for variables of loops; loops that are not inside each other share theirs. */
  readonly depth: number;
  readonly reserve: (slots: number) => void;
}

export const constantPlan = (value: unknown): Plan => ({ eval: () => value, constant: { value } });

export const withSteps = (attribute: Attribute, step: Step): Attribute =>
  attribute.kind === 'path'
    ? { ...attribute, steps: [...attribute.steps, step] }
    : { ...attribute, yes: withSteps(attribute.yes, step), no: withSteps(attribute.no, step) };

/** What a plan is as something to select from. */
export const attributeOf = ({ attribute, eval: base }: Plan): Attribute =>
  attribute ?? { kind: 'path', base, steps: [] };

export type { Eval };
