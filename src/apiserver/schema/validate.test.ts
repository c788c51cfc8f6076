import { describe, expect, it } from 'vitest';
import type { Schema } from '../../schema/index.ts';
import { renderFieldError } from './field-error.ts';
import { validate } from './validate.ts';

const spec = (schema: Schema): Schema => ({ type: 'object', properties: { spec: schema } });
const lines = (value: unknown, schema: Schema) => validate({ spec: value }, spec(schema)).map(renderFieldError);

describe('validate', () => {
  it('has nothing to say about a good object', () => {
    expect(lines({ a: 'x' }, { type: 'object', properties: { a: { type: 'string', maxLength: 1 } } })).toEqual([]);
  });

  it('counts characters, not UTF-16 units', () => {
    expect(lines('🚢🚢', { type: 'string', maxLength: 2 })).toEqual([]);
    expect(lines('🚢', { type: 'string', minLength: 2 })).toHaveLength(1);
  });

  it('takes an integer beyond 2^53, and refuses one beyond int64', () => {
    expect(lines(2n ** 62n, { type: 'integer' })).toEqual([]);
    expect(lines(2n ** 63n, { type: 'integer' })).toEqual([
      '<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec',
    ]);
  });

  it('reports the alternative that came closest', () => {
    const schema: Schema = {
      type: 'object',
      properties: { a: { type: 'object', properties: { b: { type: 'integer' } } } },
      anyOf: [{ required: ['z'] }, { properties: { a: { properties: { b: { minimum: 3 } } } } }],
    };
    expect(lines({ a: { b: 1 } }, schema)).toEqual([
      '<nil>: Invalid value: "": "spec" must validate at least one schema (anyOf)',
      'spec.a.b: Invalid value: 1: spec.a.b in body should be greater than or equal to 3',
    ]);
  });

  it('lets an old mistake pass where nothing changed, and nowhere else', () => {
    const schema = spec({
      type: 'object',
      properties: { a: { type: 'string', maxLength: 1 }, b: { type: 'string', maxLength: 1 } },
    });
    const old = { spec: { a: 'old', b: 'x' } };
    expect(validate({ spec: { a: 'old', b: 'y' } }, schema, old)).toEqual([]);
    expect(validate({ spec: { a: 'new', b: 'x' } }, schema, old).map((error) => error.field)).toEqual(['spec.a']);
  });
});
