import { describe, expect, it } from 'vitest';
import { type BuiltinData, linkSchemas } from './link.ts';

const data: BuiltinData = {
  version: 'v1.36.3',
  definitions: {
    'x.Node': {
      type: 'object',
      properties: {
        next: { $ref: 'x.Node' },
        children: { type: 'array', items: { $ref: '#/components/schemas/x.Node' } },
        meta: { allOf: [{ $ref: 'x.Meta' }], default: {}, description: 'gone' },
        raw: { $ref: 'x.Raw' },
        missing: { $ref: 'x.Missing' },
      },
    },
    'x.Meta': { type: 'object', properties: { name: { type: 'string' } } },
    'x.Raw': { type: 'object' },
  },
  kinds: [{ group: 'x', version: 'v1', kind: 'Node', definition: 'x.Node' }],
  resources: [],
};

describe('linkSchemas', () => {
  const node = linkSchemas(data).schemaOf({ group: 'x', version: 'v1', kind: 'Node' })!;

  it('links references into a cyclic graph', () => {
    expect(node.properties!['next']).toBe(node);
    expect(node.properties!['children']!.items).toBe(node);
    expect(node.definition).toBe('x.Node');
  });

  it('keeps the siblings of a wrapped reference without changing the definition', () => {
    const meta = node.properties!['meta']!;
    expect(meta.default).toEqual({});
    expect(meta.definition).toBe('x.Meta');
    expect(meta.properties!['name']).toEqual({ type: 'string' });
    expect(meta).not.toHaveProperty('allOf');
    expect(meta).not.toHaveProperty('description');
    expect(linkSchemas(data).definition('x.Meta')).not.toHaveProperty('default');
  });

  it('lets a type without fields, and one it does not know, carry anything', () => {
    for (const key of ['raw', 'missing']) {
      expect(node.properties![key]).toHaveProperty('x-kubernetes-preserve-unknown-fields', true);
    }
  });

  it('gives the same object every time and nothing for an unknown kind', () => {
    const linked = linkSchemas(data);
    const gvk = { group: 'x', version: 'v1', kind: 'Node' };
    expect(linked.schemaOf(gvk)).toBe(linked.schemaOf(gvk));
    expect(linked.schemaOf({ ...gvk, kind: 'Other' })).toBeUndefined();
    expect(linked.definition('toString')).toBeUndefined();
  });
});
