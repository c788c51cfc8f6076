import type { Macros } from './macros.ts';
import type { CelType } from './types.ts';
import type { CelError } from './values/values.ts';

/** What one form of a function takes and gives, and what it costs. */
export interface Overload {
  readonly id: string;
  readonly isMember: boolean;
  /** With the receiver first. */
  readonly args: readonly CelType[];
  readonly result: CelType;
  /** Values of the right types in, a value or an error out. Absent where the whole function has one implementation. */
  readonly call?: (...args: never[]) => unknown;
}

export interface FunctionDecl {
  readonly name: string;
  readonly overloads: readonly Overload[];
  /** One implementation for all forms, which finds out by itself. */
  readonly singleton?: (...args: unknown[]) => unknown;
  /** Whether the first argument can be one at all; told apart in the message only. */
  readonly accepts?: (first: unknown) => boolean;
}

/** What a call costs, from its first two arguments; from its result too where it says so, once there is one. */
export interface CallCost {
  (first: unknown, second: unknown, result: unknown): number;
  readonly usesResult?: true;
  /** The cost with a second argument that is known, such as a literal: by the first one, or the same for all. */
  readonly withSecond?: (second: unknown) => ((first: unknown) => number) | number;
}

/** Everything an expression may refer to. Made once, shared by all expressions. */
export interface Environment {
  readonly functions: ReadonlyMap<string, FunctionDecl>;
  /** Types that have a name in expressions, such as `int` and `net.IP`. */
  readonly types: ReadonlyMap<string, CelType>;
  /** Types that are too many to list, by name. */
  readonly resolveType?: (name: string) => CelType | undefined;
  readonly macros: Macros;
  /** Whether lists and maps may be written with elements of different types. */
  readonly allowsMixedLiterals: boolean;
  /** Names are looked for in this namespace and those around it first. */
  readonly container: string;
  /** Checks that Kubernetes adds: literal durations, timestamps and regular expressions must be valid. */
  readonly validatesLiterals: boolean;
  readonly costOf: (functionName: string, overload: string) => CallCost | undefined;
  /** The function with work done once for a literal as its second argument, such as a regular expression, or why not. */
  readonly prepare: (functionName: string, literal: string) => ((...args: unknown[]) => unknown) | CelError | undefined;
}

/** The type that goes by a name. */
export function typeNamed({ types, resolveType }: Environment, name: string): CelType | undefined {
  return types.get(name) ?? resolveType?.(name);
}

/** The names that a name may stand for, the innermost namespace first; a leading dot means the outermost alone. */
export function candidateNames(container: string, name: string): readonly string[] {
  if (name.startsWith('.')) return [name.slice(1)];
  if (container === '') return [name];
  const parts = container.split('.');
  return [...parts.map((_, i) => `${parts.slice(0, parts.length - i).join('.')}.${name}`), name];
}
