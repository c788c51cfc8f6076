import { type Fields, isUnset } from '../value.ts';

/** Gives an object its defaults: the same object when it has them all, else a copy that nobody else holds. */
export type Defaulter = (object: Fields) => Fields;

/** Sets what is absent. A string that is empty counts as absent: Go cannot tell them apart. */
export function fill(object: Fields, defaults: Fields): Fields {
  let copy: Record<string, unknown> | undefined;
  for (const key in defaults) {
    const present = object[key];
    if (isUnset(present) || (present === '' && typeof defaults[key] === 'string')) {
      (copy ??= { ...object })[key] = defaults[key];
    }
  }
  return copy ?? object;
}

/** As `fill`, for numbers that Go keeps by value: zero counts as absent too. */
export function fillZero(object: Fields, defaults: Fields): Fields {
  let copy: Record<string, unknown> | undefined;
  for (const key in defaults) {
    const present = object[key];
    if (isUnset(present) || present === 0 || present === '') (copy ??= { ...object })[key] = defaults[key];
  }
  return copy ?? object;
}

/** Replaces one nested object by what `change` makes of it; an absent one counts as empty. */
export function within(object: Fields, key: string, change: Defaulter): Fields {
  const before = object[key];
  const given = typeof before === 'object' && before !== null ? (before as Fields) : {};
  const after = change(given);
  return after === before ? object : { ...object, [key]: after };
}
