import { describe, expect, it } from 'vitest';
import type { Schema } from '../../schema/index.ts';
import { pruneUnknown, renderUnknownFields } from './prune.ts';

const text: Schema = { type: 'string' };
const schema: Schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        name: text,
        list: { type: 'array', items: { type: 'object', properties: { name: text } } },
        map: { type: 'object', additionalProperties: { type: 'object', properties: { name: text } } },
        open: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          properties: { closed: { type: 'object', properties: {} } },
        },
        pod: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: { type: 'object' } } },
        port: { 'x-kubernetes-int-or-string': true },
      },
    },
  },
};
const objectMeta: Schema = { type: 'object', properties: { name: text } };
const widget = (spec: unknown) => ({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, spec });

describe('pruneUnknown', () => {
  it('gives back the very object when every field is known', () => {
    const object = widget({
      name: 'a',
      list: [{ name: 'b' }],
      map: { k: { name: 'c' } },
      port: 'http',
      open: { x: 1 },
    });
    const { object: pruned, dropped } = pruneUnknown(object, schema, { objectMeta });
    expect(pruned).toBe(object);
    expect(dropped).toEqual([]);
  });

  it('drops unknown fields at any depth, says where they were, and leaves the input alone', () => {
    const object = widget({
      foo: 1,
      list: [{ name: 'a' }, { bar: 1 }],
      map: { k: { baz: 1 } },
      open: { closed: { q: 1 } },
    });
    const before = structuredClone(object);
    const { object: pruned, dropped } = pruneUnknown(object, schema, { objectMeta });
    expect(pruned.spec).toEqual({ list: [{ name: 'a' }, {}], map: { k: {} }, open: { closed: {} } });
    expect(dropped).toEqual(['spec.foo', 'spec.list[1].bar', 'spec.map.k.baz', 'spec.open.closed.q']);
    expect(object).toEqual(before);
  });

  it('copies only the way to what it drops', () => {
    const object = widget({ foo: 1, list: [{ name: 'a' }] });
    const { object: pruned } = pruneUnknown(object, schema);
    expect((pruned.spec as { list: unknown }).list).toBe((object.spec as { list: unknown }).list);
  });

  it('keeps the identity of an embedded resource and prunes its metadata by ObjectMeta', () => {
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', odd: 1 }, spec: {}, status: {} };
    const { object: pruned, dropped } = pruneUnknown(widget({ pod }), schema, { objectMeta });
    expect(pruned.spec).toEqual({ pod: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: {} } });
    expect(dropped).toEqual(['spec.pod.metadata.odd', 'spec.pod.status']);
  });
});

describe('renderUnknownFields', () => {
  it('words one error for strict validation and a warning for each field', () => {
    expect(renderUnknownFields(['spec.foo', 'spec.containers[0].bar'])).toEqual({
      strict: 'strict decoding error: unknown field "spec.foo", unknown field "spec.containers[0].bar"',
      warnings: ['unknown field "spec.foo"', 'unknown field "spec.containers[0].bar"'],
    });
  });
});
