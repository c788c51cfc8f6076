import { describe, expect, it } from 'vitest';
import type { Schema } from '../../schema/index.ts';
import { badBase64At, decodeTyped } from './decode.ts';

const quantity: Schema = { definition: 'io.k8s.apimachinery.pkg.api.resource.Quantity' };
const inner: Schema = {
  definition: 'x.v1.Inner',
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', default: '' },
    count: { type: 'integer', format: 'int32' },
    limits: { type: 'object', additionalProperties: quantity },
  },
};
const outer: Schema = {
  definition: 'x.v1.Outer',
  type: 'object',
  properties: {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    inner: { ...inner, default: {} },
    list: { type: 'array', items: inner },
    when: { definition: 'io.k8s.apimachinery.pkg.apis.meta.v1.Time', type: 'string', format: 'date-time' },
  },
};
const typed = { apiVersion: 'x/v1', kind: 'Outer' };
const whole = { ...typed, inner: { name: '' } };

describe('decodeTyped', () => {
  it('gives back the very object when Go would write it the same', () => {
    const decoded = decodeTyped(whole, outer);
    expect(decoded.ok && decoded.object).toBe(whole);
  });

  it('adds what Go always writes and drops nulls and empty lists', () => {
    expect(decodeTyped({ ...typed, list: [], when: null }, outer)).toEqual({ ok: true, object: whole });
  });

  it('names the struct, the way to the field and the types', () => {
    expect(decodeTyped({ ...typed, list: [{ name: 'a', count: 'x' }] }, outer)).toEqual({
      ok: false,
      message:
        'Outer in version "v1" cannot be handled as a Outer: json: cannot unmarshal string into Go struct field Inner.list.count of type int32',
    });
  });

  it('makes quantities canonical and refuses what is none', () => {
    const decoded = decodeTyped({ ...typed, inner: { name: '', limits: { cpu: 0.5, memory: '1024Mi' } } }, outer);
    expect(decoded).toMatchObject({ ok: true, object: { inner: { limits: { cpu: '500m', memory: '1Gi' } } } });
    expect(decodeTyped({ ...typed, inner: { limits: { cpu: 'x' } } }, outer)).toMatchObject({
      ok: false,
      message: expect.stringMatching(/cannot be handled as a Outer: quantities must match the regular expression/),
    });
  });
});

describe('badBase64At', () => {
  it.each([
    ['', -1],
    ['YQ==', -1],
    ['YW\nJj', -1],
    ['a b', 1],
    ['YQ=', 3],
    ['YWJjZ', 4],
  ])('finds the first bad byte of %j at %i', (text, at) => {
    expect(badBase64At(text)).toBe(at);
  });
});
