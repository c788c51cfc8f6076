import { pointerScalars, writtenAsNull, writtenAsZero } from './go-fields.ts';
import type { Plan } from './plan.ts';

/** How Go writes the fields of one struct. */
export interface Writing {
  /** Fields that are written even when nothing was given, with what is written. */
  readonly always: readonly (readonly [field: string, value: unknown])[];
  /** Fields that vanish when they hold their zero value. */
  readonly omitted: ReadonlySet<string>;
}

/**
 * Most of it can be read from the published schema: a struct that is not a pointer and a scalar without
 * `omitempty` carry a default, a list or map without `omitempty` is required. The rest is recorded.
 */
export function writingOf(plan: Plan): Writing {
  if (plan.writing) return plan.writing;
  // A struct cannot contain itself by value, so this never meets its own unfinished entry.
  const always: [string, unknown][] = [];
  const omitted = new Set<string>();
  const pointers = wordsOf(pointerScalars[plan.definition]);
  const nulls = wordsOf(writtenAsNull[plan.definition]);
  const zeroes = wordsOf(writtenAsZero[plan.definition]);
  for (const [key, child] of plan.properties ?? []) {
    const isRequired = plan.required.includes(key) || zeroes.includes(key);
    const zero = nulls.includes(key) ? null : zeroOf(child, isRequired);
    if (zero !== undefined) always.push([key, zero]);
    // An empty collection does not survive the server's storage: what is always written becomes null.
    if (zero === null) omitted.add(key);
    else if (zero !== undefined) continue;
    else if (!isRequired && !pointers.includes(key) && plan.definition !== '') omitted.add(key);
  }
  const writing = { always, omitted };
  plan.writing = writing;
  return writing;
}

/** True for what Go's `omitempty` leaves out; structs are never empty. */
export function isZero(value: unknown, plan: Plan): boolean {
  switch (plan.go) {
    case 'list':
      return Array.isArray(value) && value.length === 0;
    case 'map':
      for (const _ in value as object) return false;
      return true;
    case 'string':
    case 'bytes':
      return value === '';
    case 'bool':
      return value === false;
    case 'int32':
    case 'int64':
    case 'float64':
      return value === 0;
    default:
      return false;
  }
}

function zeroOf(plan: Plan, isRequired: boolean): unknown {
  const { defaultValue } = plan;
  switch (plan.go) {
    case 'struct':
      return isEmptyObject(defaultValue) ? Object.fromEntries(writingOf(plan).always) : undefined;
    case 'list':
    case 'map':
      return isRequired ? null : undefined;
    case 'string':
    case 'bool':
    case 'int32':
    case 'int64':
    case 'float64':
      // A zero default of an optional field only documents the type; the field has `omitempty`.
      return typeof defaultValue === 'object' || (!isRequired && isZero(defaultValue, plan)) ? undefined : defaultValue;
    default:
      return undefined;
  }
}

const wordsOf = (text: string | undefined): readonly string[] => (text === undefined ? [] : text.split(' '));

const isEmptyObject = (value: unknown) =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;
