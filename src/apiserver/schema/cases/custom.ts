import type { Fields } from '../value.ts';

/** A schema for the kind Widget and an object of it; with `crd`, changes to the definition itself. */
export interface CustomCase {
  readonly title: string;
  /** The root schema's `properties.spec`; the whole `openAPIV3Schema` when `isRoot`. */
  readonly schema: Fields;
  readonly isRoot?: boolean;
  /** Absent when the case is about the definition. */
  readonly spec?: unknown;
  readonly crd?: Fields;
}

const object = (properties: Fields, more: Fields = {}): Fields => ({ type: 'object', properties, ...more });
const value = (schema: Fields, given: unknown): Pick<CustomCase, 'schema' | 'spec'> => ({
  schema: object({ v: schema }),
  spec: { v: given },
});
const root = (schema: Fields): Pick<CustomCase, 'schema' | 'isRoot'> => ({ schema, isRoot: true });

export const customCases: readonly CustomCase[] = [
  // Values.
  { title: 'text for an integer', ...value({ type: 'integer' }, 'x') },
  { title: 'a fraction for an integer', ...value({ type: 'integer' }, 1.5) },
  { title: 'an integer for a number', ...value({ type: 'number' }, 1) },
  { title: 'null for text', ...value({ type: 'string', nullable: true }, null) },
  { title: 'a null that is dropped', ...value({ type: 'string' }, null) },
  { title: 'a null that takes its default', ...value({ type: 'string', default: 'd' }, null) },
  { title: 'a list for an object', ...value({ type: 'object' }, []) },
  { title: 'an object for text', ...value({ type: 'string' }, {}) },
  { title: 'a boolean for text with a format', ...value({ type: 'string', format: 'date-time' }, true) },
  { title: 'a bad date-time', ...value({ type: 'string', format: 'date-time' }, 'now') },
  { title: 'a good date-time', ...value({ type: 'string', format: 'date-time' }, '2024-05-06T07:08:09Z') },
  { title: 'an unknown format', ...value({ type: 'string', format: 'poem' }, 'roses') },
  { title: 'a bad ipv4', ...value({ type: 'string', format: 'ipv4' }, '1.2.3') },
  { title: 'a bad uuid', ...value({ type: 'string', format: 'uuid' }, 'x') },
  { title: 'a bad duration', ...value({ type: 'string', format: 'duration' }, 'soon') },
  { title: 'a good duration', ...value({ type: 'string', format: 'duration' }, '1h30m') },
  { title: 'bad bytes', ...value({ type: 'string', format: 'byte' }, 'x!') },
  { title: 'a bad uri', ...value({ type: 'string', format: 'uri' }, 'no uri') },
  { title: 'an int32 that is too large', ...value({ type: 'integer', format: 'int32' }, 3_000_000_000) },
  { title: 'an unsupported value', ...value({ type: 'string', enum: ['a', 'b'] }, 'c') },
  { title: 'an unsupported number', ...value({ type: 'integer', enum: [1, 2] }, 3) },
  { title: 'below the minimum', ...value({ type: 'integer', minimum: 3 }, 2) },
  { title: 'at an exclusive minimum', ...value({ type: 'integer', minimum: 3, exclusiveMinimum: true }, 3) },
  { title: 'above the maximum', ...value({ type: 'number', maximum: 3.5 }, 3.75) },
  { title: 'at an exclusive maximum', ...value({ type: 'integer', maximum: 3, exclusiveMaximum: true }, 3) },
  { title: 'not a multiple', ...value({ type: 'integer', multipleOf: 5 }, 7) },
  { title: 'too long', ...value({ type: 'string', maxLength: 3 }, 'four') },
  { title: 'too short', ...value({ type: 'string', minLength: 3 }, 'no') },
  { title: 'no match', ...value({ type: 'string', pattern: '^a+$' }, 'b') },
  { title: 'too many items', ...value({ type: 'array', items: { type: 'string' }, maxItems: 1 }, ['a', 'b']) },
  { title: 'too few items', ...value({ type: 'array', items: { type: 'string' }, minItems: 2 }, ['a']) },
  {
    title: 'too many entries',
    ...value({ type: 'object', additionalProperties: { type: 'string' }, maxProperties: 1 }, { a: '', b: '' }),
  },
  {
    title: 'too few entries',
    ...value({ type: 'object', additionalProperties: { type: 'string' }, minProperties: 1 }, {}),
  },
  { title: 'a missing field', ...value(object({ a: { type: 'string' } }, { required: ['a'] }), {}) },
  { title: 'a wrong item', ...value({ type: 'array', items: { type: 'integer' } }, [1, 'b']) },
  { title: 'a wrong entry', ...value({ type: 'object', additionalProperties: { type: 'integer' } }, { k: 'b' }) },
  { title: 'int or string given a boolean', ...value({ 'x-kubernetes-int-or-string': true }, true) },
  {
    title: 'int or string given text',
    ...value({ 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] }, '25%'),
  },
  {
    title: 'a set with a repeat',
    ...value({ type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } }, ['a', 'b', 'a', 'a']),
  },
  {
    title: 'a map list with a repeat',
    ...value(
      {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
        items: object({ name: { type: 'string' } }, { required: ['name'] }),
      },
      [{ name: 'a' }, { name: 'b' }, { name: 'a' }],
    ),
  },
  {
    title: 'a map list with two keys',
    ...value(
      {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['port', 'protocol'],
        items: object(
          { port: { type: 'integer' }, protocol: { type: 'string', default: 'TCP' } },
          { required: ['port'] },
        ),
      },
      [{ port: 1 }, { port: 1, protocol: 'TCP' }],
    ),
  },
  {
    title: 'none of oneOf',
    ...value(
      object({ a: { type: 'string' }, b: { type: 'string' } }, { oneOf: [{ required: ['a'] }, { required: ['b'] }] }),
      {},
    ),
  },
  {
    title: 'two of oneOf',
    ...value(
      object({ a: { type: 'string' }, b: { type: 'string' } }, { oneOf: [{ required: ['a'] }, { required: ['b'] }] }),
      { a: '', b: '' },
    ),
  },
  {
    title: 'none of anyOf',
    ...value(
      object({ a: { type: 'string' }, b: { type: 'string' } }, { anyOf: [{ required: ['a'] }, { required: ['b'] }] }),
      {},
    ),
  },
  { title: 'not all of allOf', ...value({ type: 'integer', allOf: [{ minimum: 3 }, { maximum: 9 }] }, 2) },
  { title: 'not that', ...value({ type: 'string', not: { enum: ['x'] } }, 'x') },
  // Pruning and defaulting.
  { title: 'unknown fields are refused', ...value(object({ a: { type: 'string' } }), { a: '', b: 1, c: { d: 1 } }) },
  {
    title: 'unknown fields are kept where asked',
    ...value(object({ a: object({}) }, { 'x-kubernetes-preserve-unknown-fields': true }), { z: 1, a: {} }),
  },
  {
    title: 'defaults go into what exists',
    ...value(object({ a: { type: 'string', default: 'x' }, b: object({ c: { type: 'integer', default: 1 } }) }), {}),
  },
  {
    title: 'defaults nest',
    ...value(object({ b: object({ c: { type: 'integer', default: 1 } }, { default: {} }) }), {}),
  },
  {
    title: 'defaults reach into lists and maps',
    ...value(
      object({
        l: { type: 'array', items: object({ a: { type: 'string', default: 'x' } }) },
        m: { type: 'object', additionalProperties: object({ a: { type: 'string', default: 'x' } }) },
      }),
      { l: [{}, {}], m: { k: {} } },
    ),
  },
  {
    title: 'an embedded resource keeps its identity',
    ...value(
      { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: object({}) } },
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' }, spec: {} },
    ),
  },
  {
    title: 'an embedded resource without a kind',
    ...value(
      { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
      { metadata: {} },
    ),
  },

  // Definitions.
  { title: 'a good definition', schema: object({}) },
  { title: 'a root without a type', ...root({ properties: { spec: { type: 'string' } } }) },
  { title: 'a root that is no object', ...root({ type: 'string' }) },
  { title: 'a field without a type', schema: object({ a: {} }) },
  { title: 'an item without a type', schema: object({ a: { type: 'array', items: {} } }) },
  { title: 'a list without items', schema: object({ a: { type: 'array' } }) },
  { title: 'an unknown type', schema: object({ a: { type: 'text' } }) },
  { title: 'a type below anyOf', schema: object({ a: { type: 'string', anyOf: [{ type: 'string' }] } }) },
  {
    title: 'a description below oneOf',
    schema: object({ a: { type: 'string', oneOf: [{ description: 'x', default: 'y', nullable: true }] } }),
  },
  {
    title: 'a junctor about an undeclared field',
    ...root(object({ spec: object({}) }, { anyOf: [{ properties: { other: { minimum: 1 } } }] })),
  },
  { title: 'a bad pattern', schema: object({ a: { type: 'string', pattern: '(' } }) },
  {
    title: 'properties and additionalProperties',
    schema: object({ a: { type: 'string' } }, { additionalProperties: { type: 'string' } }),
  },
  { title: 'additionalProperties at the root', ...root({ type: 'object', additionalProperties: { type: 'string' } }) },
  { title: 'unique items', schema: object({ a: { type: 'array', uniqueItems: true, items: { type: 'string' } } }) },
  {
    title: 'restricted metadata',
    ...root(object({ metadata: object({ labels: { type: 'object', additionalProperties: { type: 'string' } } }) })),
  },
  { title: 'a restricted name', ...root(object({ metadata: object({ name: { type: 'string', pattern: '^a' } }) })) },
  { title: 'a default in metadata', ...root(object({ metadata: object({ name: { type: 'string', default: 'x' } }) })) },
  { title: 'a default of the wrong type', schema: object({ a: { type: 'integer', default: 'x' } }) },
  {
    title: 'a default with an unknown field',
    schema: object({ a: object({ b: { type: 'string' } }, { default: { c: 1 } }) }),
  },
  {
    title: 'a default out of range',
    schema: object({ a: object({ b: { type: 'integer', minimum: 3 } }, { default: { b: 1 } }) }),
  },
  {
    title: 'map keys without a default',
    schema: object({
      a: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        items: object({ k: { type: 'string' } }),
      },
    }),
  },
  {
    title: 'map keys that do not exist',
    schema: object({
      a: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k', 'k'],
        items: object({}),
      },
    }),
  },
  {
    title: 'a map list without keys',
    schema: object({ a: { type: 'array', 'x-kubernetes-list-type': 'map', items: { type: 'string' } } }),
  },
  {
    title: 'keys without a map list',
    schema: object({ a: { type: 'array', 'x-kubernetes-list-map-keys': ['k'], items: { type: 'string' } } }),
  },
  { title: 'a list type on an object', schema: object({ a: { type: 'object', 'x-kubernetes-list-type': 'bag' } }) },
  {
    title: 'a set of objects',
    schema: object({ a: { type: 'array', 'x-kubernetes-list-type': 'set', items: object({}) } }),
  },
  { title: 'a map type on text', schema: object({ a: { type: 'string', 'x-kubernetes-map-type': 'loose' } }) },
  {
    title: 'an embedded resource without fields',
    schema: object({ a: { type: 'object', 'x-kubernetes-embedded-resource': true } }),
  },
  {
    title: 'int or string that preserves',
    schema: object({ a: { 'x-kubernetes-int-or-string': true, 'x-kubernetes-preserve-unknown-fields': true } }),
  },
  {
    title: 'preserving set to false',
    schema: object({ a: { type: 'object', 'x-kubernetes-preserve-unknown-fields': false } }),
  },
  { title: 'a nullable root', ...root({ type: 'object', nullable: true }) },
  { title: 'a kind that is no text', ...root(object({ kind: { type: 'integer' } })) },
  { title: 'an empty rule', schema: object({ a: { type: 'string', 'x-kubernetes-validations': [{ rule: ' ' }] } }) },
  { title: 'a group without a dot', schema: object({}), crd: { group: 'widgets' } },
  {
    title: 'a kind with a dash at its end',
    schema: object({}),
    crd: { names: { plural: 'widgets', kind: 'Widget-' } },
  },
  { title: 'an odd scope', schema: object({}), crd: { scope: 'Galaxy' } },
  { title: 'a group of the project', schema: object({}), crd: { group: 'widgets.k8s.io' } },
];
