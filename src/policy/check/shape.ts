import { closestName, isJsonObject } from '../../base/index.ts';
import { cut, fieldOf, type Issues } from './issues.ts';

/** The allowed values of a field. As in the API server, null counts as not set. */
export type Shape =
  | { readonly type: 'any' }
  | { readonly type: 'boolean' }
  | { readonly type: 'string'; readonly values?: readonly string[]; readonly maxLength?: number }
  | { readonly type: 'integer'; readonly min?: number; readonly max?: number }
  | { readonly type: 'list'; readonly of: Shape }
  | { readonly type: 'map'; readonly of: Shape }
  | { readonly type: 'object'; readonly fields: Fields; readonly required: readonly string[] };

/** A function if a shape contains itself. */
type Fields = Readonly<Record<string, Shape | (() => Shape)>>;

export const any: Shape = { type: 'any' };
export const boolean: Shape = { type: 'boolean' };
export const string: Shape = { type: 'string' };
export const integer: Shape = { type: 'integer' };
export const oneOf = (...values: readonly string[]): Shape => ({ type: 'string', values });
export const listOf = (of: Shape): Shape => ({ type: 'list', of });
export const mapOf = (of: Shape): Shape => ({ type: 'map', of });
export const object = (fields: Fields, required: readonly string[] = []): Shape => ({
  type: 'object',
  fields,
  required,
});

/** Reports every field of `value` that its shape does not know, or knows differently. */
export function checkShape(value: unknown, shape: Shape, path: string, issues: Issues): void {
  if (value === null || value === undefined || shape.type === 'any') return;
  switch (shape.type) {
    case 'boolean':
      if (typeof value !== 'boolean') wrongType(value, 'true or false', path, issues);
      return;
    case 'integer':
      checkInteger(value, shape, path, issues);
      return;
    case 'string':
      checkString(value, shape, path, issues);
      return;
    case 'list':
      if (!Array.isArray(value)) {
        wrongType(value, 'a list', path, issues);
        return;
      }
      for (const [i, item] of value.entries()) {
        if (item === null && shape.of.type !== 'any')
          issues.error('policy-field-type', `${path}[${i}]`, 'must not be null');
        else checkShape(item, shape.of, `${path}[${i}]`, issues);
      }
      return;
    case 'map':
      if (!isJsonObject(value)) {
        wrongType(value, 'an object', path, issues);
        return;
      }
      for (const [key, item] of Object.entries(value)) {
        if (item === null) issues.error('policy-field-type', fieldOf(path, key), 'must not be null');
        else checkShape(item, shape.of, fieldOf(path, key), issues);
      }
      return;
    case 'object':
      if (!isJsonObject(value)) {
        wrongType(value, 'an object', path, issues);
        return;
      }
      checkFields(value, shape, path, issues);
      return;
  }
}

function checkFields(
  value: Readonly<Record<string, unknown>>,
  { fields, required }: Shape & { type: 'object' },
  path: string,
  issues: Issues,
): void {
  for (const [key, item] of Object.entries(value)) {
    const shape = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (shape === undefined) {
      issues.error('policy-field-unknown', fieldOf(path, key), `unknown field${suggestion(key, Object.keys(fields))}`);
    } else {
      checkShape(item, typeof shape === 'function' ? shape() : shape, fieldOf(path, key), issues);
    }
  }
  for (const key of required) {
    if ((value[key] ?? null) === null) issues.error('policy-field-required', fieldOf(path, key), 'is required');
  }
}

function checkInteger(value: unknown, { min, max }: Shape & { type: 'integer' }, path: string, issues: Issues): void {
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    wrongType(value, 'a whole number', path, issues);
    return;
  }
  if ((min !== undefined && value < min) || (max !== undefined && value > max)) {
    issues.error('policy-field-value', path, `${value} is out of range: it must be at least ${min} and at most ${max}`);
  }
}

function checkString(
  value: unknown,
  { values, maxLength }: Shape & { type: 'string' },
  path: string,
  issues: Issues,
): void {
  if (typeof value !== 'string') {
    wrongType(value, 'a text', path, issues);
    return;
  }
  if (values !== undefined && !values.includes(value)) {
    issues.error('policy-field-value', path, `"${cut(value)}" is not one of ${values.join(', ')}`);
  }
  if (maxLength !== undefined && value.length > maxLength) {
    issues.error('policy-name', path, `is ${value.length} characters long; at most ${maxLength} are allowed`);
  }
}

function wrongType(value: unknown, expected: string, path: string, issues: Issues): void {
  const actual = Array.isArray(value) ? 'a list' : isJsonObject(value) ? 'an object' : `${typeof value}`;
  issues.error('policy-field-type', path, `must be ${expected}, not ${actual}`);
}

function suggestion(key: string, known: readonly string[]): string {
  const meant = closestName(key, known);
  return meant === undefined ? '' : `; did you mean ${meant}?`;
}
