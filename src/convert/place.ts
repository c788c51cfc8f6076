import type { Schema } from '../schema/index.ts';
import { isSelectable, quote } from './cel-text.ts';

/** A step into an object: a field, or the elements of a list. */
export type Step = string | { readonly element: true };

/** A position in the object, as the policy reads it. */
export interface Place {
  /** The CEL text that leads to it, if every step exists. */
  readonly strict: string;
  /** The CEL text with optional steps. */
  readonly chain: string;
  /** Whether `chain` gives an optional. */
  readonly isOptional: boolean;
  /** What may be here; undefined where nothing is known. */
  readonly schema: Schema | undefined;
  readonly steps: readonly Step[];
  /** How many lists it is inside. */
  readonly depth: number;
}

export type ScalarType = 'string' | 'quantity' | 'integer' | 'boolean' | 'array' | 'object' | 'unknown';

export function rootPlace(name: string, schema: Schema | undefined): Place {
  return { strict: name, chain: name, isOptional: false, schema, steps: [], depth: 0 };
}

export function fieldPlace(place: Place, key: string): Place {
  const { chain, strict, isOptional, schema, steps } = place;
  const isRoot = steps.length === 0;
  const below = schema?.properties?.[key] ?? otherFields(schema);
  // Autogen rewrites the text `object.spec` and `object.metadata`, and every Pod has both.
  const isKnown = key === 'metadata' || (key === 'spec' && schema?.properties?.['spec'] !== undefined);
  const isThere = !isOptional && ((isRoot && isKnown) || schema?.required?.includes(key) === true);
  const plain = isSelectable(key) ? `.${key}` : `[${quote(key)}]`;
  const optional = isSelectable(key) ? (isOptional ? `.${key}` : `.?${key}`) : `[?${quote(key)}]`;
  return {
    strict: `${strict}${plain}`,
    chain: isThere ? `${chain}${plain}` : `${chain}${optional}`,
    isOptional: isOptional || !isThere,
    schema: below,
    steps: [...steps, key],
    depth: place.depth,
  };
}

function otherFields(schema: Schema | undefined): Schema | undefined {
  const others = schema?.additionalProperties;
  return typeof others === 'object' ? others : undefined;
}

const names = ['c', 'd', 'e', 'f', 'g', 'h'];

/** An element of the list at the place, as a loop variable. */
export function elementPlace(place: Place): Place & { readonly variable: string } {
  const variable = names[place.depth] ?? `v${place.depth}`;
  return {
    strict: variable,
    chain: variable,
    isOptional: false,
    schema: place.schema?.items,
    steps: [...place.steps, { element: true }],
    depth: place.depth + 1,
    variable,
  };
}

/** One element of the list at the place. */
export function indexPlace(place: Place, index: number): Place {
  return {
    strict: `${place.strict}[${index}]`,
    chain: `${place.chain}[?${index}]`,
    isOptional: true,
    schema: place.schema?.items,
    steps: [...place.steps, { element: true }],
    depth: place.depth,
  };
}

/** The value, or the fallback where there is none. */
export const valueOr = ({ chain, isOptional }: Place, fallback: string) =>
  isOptional ? `${chain}.orValue(${fallback})` : chain;

export function typeOf({ schema }: Place): ScalarType {
  if (schema === undefined || schema['x-kubernetes-int-or-string']) return 'unknown';
  if (schema.definition?.endsWith('.resource.Quantity')) return 'quantity';
  switch (schema.type) {
    case 'string':
    case 'integer':
    case 'boolean':
    case 'array':
    case 'object':
      return schema.type;
    default:
      return schema.properties ? 'object' : 'unknown';
  }
}
