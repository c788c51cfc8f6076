import { errorMessage, isJsonObject } from '../../base/index.ts';
import { bind, compile, type Environment, JmespathError, type Program } from '../../jmespath/index.ts';
import { PolicyError } from '../errors.ts';
import { Incomparable, isAsExpected, type Spend } from './compare.ts';
import { type Notation, orderedKeys, parseNotation } from './notation.ts';
import { type Place, root } from './place.ts';
import { renderExpected, renderFound } from './render.ts';

/** The result for one position in the value. */
export interface Finding {
  readonly path: string;
  readonly holds: boolean;
  readonly expected?: unknown;
  readonly found?: unknown;
  /** What is wrong, in the form of Kubernetes' field errors; empty if nothing is. */
  readonly message: string;
}

/** The tree cannot be compared with this value: the result is neither pass nor fail. */
export class AssertionError extends PolicyError {
  constructor(message: string, cause?: unknown) {
    super('policy-assertion', message, { cause });
  }
}

export interface AssertionOptions {
  /** What expressions can use in addition to the value, with `$variables`. */
  readonly environment: Environment;
  readonly spend: Spend;
  /** Called for each violation, in the order of the tree; the message is rendered only if the callback is called. */
  readonly violation: (describe: () => Finding) => void;
  /** Called for every position, also if it holds, for explanations. */
  readonly trace?: ((finding: Finding) => void) | undefined;
}

/** Compares a value with the tree; throws AssertionError, and what the environment throws. */
type Assertion = (value: unknown, options: AssertionOptions) => void;

export function compileAssertion(tree: unknown): Assertion {
  const node = compileTree(tree);
  return (value, options) => node(value, root, options.environment, options);
}

// Each node spends its units before it does any work.
type Node = (value: unknown, place: Place, environment: Environment, options: AssertionOptions) => void;

function compileTree(tree: unknown): Node {
  if (Array.isArray(tree)) return compileList(tree);
  return isJsonObject(tree) ? compileMap(tree) : compileScalar(tree);
}

function compileList(tree: readonly unknown[]): Node {
  const nodes = tree.map(compileTree);
  return (value, place, environment, options) => {
    options.spend(units);
    if (value === null || value === undefined) return invalid(place, null, 'value is null', options);
    if (!Array.isArray(value)) throw wrongType(place, value, 'expected a slice', options);
    if (value.length !== nodes.length) return invalid(place, value, "lengths of slices don't match", options);
    for (const [i, node] of nodes.entries()) node(value[i], place.at(i), environment, options);
  };
}

/** A tree without keys requires only that a value exists. */
function compileMap(tree: Readonly<Record<string, unknown>>): Node {
  const entries = orderedKeys(tree).map((key) => compileEntry(key, tree[key]));
  if (entries.length > 0) {
    return (value, place, environment, options) => {
      let inner = environment;
      for (const entry of entries) inner = entry(value, place, inner, options);
    };
  }
  return (value, place, _, options) => {
    options.spend(units);
    if (value === null || value === undefined) invalid(place, null, 'invalid value, must not be null', options);
    else options.trace?.({ path: String(place), holds: true, expected: {}, found: value, message: '' });
  };
}

/** Returns the scope for the keys after this one. */
type Entry = (value: unknown, place: Place, environment: Environment, options: AssertionOptions) => Environment;

function compileEntry(key: string, tree: unknown): Entry {
  const notation = parseNotation(key);
  const find = compileKey(key, notation);
  const node = compileTree(tree);
  const visit = notation?.each ? compileVisits(node, notation.each.index) : node;
  const name = notation?.binding;
  return (value, parent, outer, options) => {
    options.spend(units);
    const place = parent.child(key);
    const found = find(value, place, outer);
    if (found === absent) {
      report(options, () => ({ path: String(place), holds: false, message: notFound }));
      return outer;
    }
    const environment = name === undefined ? outer : withBinding(outer, name, found);
    visit(found, place, environment, options);
    return environment;
  };
}

/** The cost of a node in addition to its comparisons and expressions. */
const units = 20;

const notFound = 'Required value: field not found in the input object';

const absent = Symbol('absent');

type Find = (value: unknown, place: Place, environment: Environment) => unknown;

function compileKey(key: string, notation: Notation | undefined): Find {
  if (notation?.isExpression) return compileExpression(notation.statement);
  const field = notation?.statement ?? key;
  return (value, place) => {
    // A text that stands for itself is asked of a map only.
    if ((value === null || value === undefined) && notation) return absent;
    if (!isJsonObject(value)) throw new AssertionError(`${place}: Internal error: projection not recognized`);
    return Object.hasOwn(value, field) ? (value[field] ?? null) : absent;
  };
}

function compileVisits(node: Node, index: string | undefined): Node {
  const inside = (environment: Environment, at: number | string) =>
    index === undefined ? environment : withBinding(environment, index, at);
  return (value, place, environment, options) => {
    if (Array.isArray(value)) {
      options.spend(value.length * units);
      for (const [i, item] of value.entries()) node(item ?? null, place.at(i), inside(environment, i), options);
    } else if (isJsonObject(value)) {
      const keys = Object.keys(value).sort();
      options.spend(keys.length * units);
      for (const key of keys) {
        node(value[key] ?? null, place.at(key), inside(environment, key), options);
      }
    } else throw wrongType(place, value, 'expected a slice or a map', options);
  };
}

function compileScalar(tree: unknown): Node {
  const notation = typeof tree === 'string' ? parseNotation(tree) : undefined;
  const evaluate = notation?.isExpression ? compileExpression(notation.statement) : undefined;
  return (value, place, environment, options) => {
    options.spend(units);
    const expected = evaluate ? evaluate(value, place, environment) : tree;
    if (holds(expected, value, place, options)) {
      options.trace?.({ path: String(place), holds: true, expected, found: value, message: '' });
      return;
    }
    report(options, () => {
      const detail = `Expected value: ${renderExpected(expected, options.spend)}`;
      return { ...wrong(place, value, detail, options), expected };
    });
  };
}

function holds(expected: unknown, value: unknown, place: Place, { spend }: AssertionOptions): boolean {
  try {
    return isAsExpected(expected, value, spend);
  } catch (thrown) {
    if (!(thrown instanceof Incomparable)) throw thrown;
    throw new AssertionError(`${place}: Internal error: ${thrown.message}`);
  }
}

function compileExpression(expression: string): Find {
  const program: Program = compile(expression, { dialect: 'community' });
  return (value, place, environment) => {
    try {
      return program.evaluate(value, environment) ?? null;
    } catch (thrown) {
      // A needed look-up, or a failing context entry, is handled by the rule.
      if (!(thrown instanceof JmespathError)) throw thrown;
      throw new AssertionError(`${place}: Internal error: ${errorMessage(thrown)}`, thrown);
    }
  };
}

function withBinding(environment: Environment, name: string, value: unknown): Environment {
  return { ...environment, bindings: bind(name, value, environment.bindings) };
}

function invalid(place: Place, value: unknown, detail: string, options: AssertionOptions): void {
  report(options, () => wrong(place, value, detail, options));
}

function wrong(place: Place, found: unknown, detail: string, { spend }: AssertionOptions): Finding {
  const message = `Invalid value: ${renderFound(found, spend)}: ${detail}`;
  return { path: String(place), holds: false, found, message };
}

function report({ violation, trace }: AssertionOptions, describe: () => Finding): void {
  violation(describe);
  trace?.(describe());
}

function wrongType(place: Place, value: unknown, detail: string, { spend }: AssertionOptions): AssertionError {
  return new AssertionError(`${place}: Invalid value: ${renderFound(value, spend)}: ${detail}`);
}
