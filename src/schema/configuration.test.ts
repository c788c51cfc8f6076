import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../base/index.ts';
import { builtinSchemaOf } from './builtin-data.ts';
import { mergeConfiguration } from './configuration.ts';
import type { Schema } from './types.ts';

const schema = builtinSchemaOf({ group: 'apps', version: 'v1', kind: 'Deployment' });
const kind = { apiVersion: 'apps/v1', kind: 'Deployment' };
const live: JsonObject = {
  ...kind,
  metadata: { name: 'web' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: { spec: { containers: [{ name: 'app', image: 'app:1' }], nodeSelector: { zone: 'a' } } },
  },
};

const merge = (spec: unknown, allowsAtomic = false) =>
  mergeConfiguration(live, { ...kind, spec } as JsonObject, { schema, allowsAtomic });

describe('an apply configuration of a mutation', () => {
  it('is merged into lists by their keys', () => {
    const result = merge({
      template: {
        spec: {
          containers: [
            { name: 'sidecar', image: 's:1' },
            { name: 'app', tty: true },
          ],
        },
      },
    });
    expect(result).toMatchObject({
      object: {
        spec: { template: { spec: { containers: [{ name: 'sidecar' }, { name: 'app', image: 'app:1', tty: true }] } } },
      },
    });
  });

  it('may not replace what is one value, unless it is allowed to', () => {
    const spec = { template: { spec: { containers: [{ name: 'app', args: ['x'] }], nodeSelector: { disk: 'ssd' } } } };
    expect(merge(spec)).toEqual({
      error:
        'invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.template.spec.containers[0].args, .spec.template.spec.nodeSelector',
    });
    expect(merge(spec, true)).toMatchObject({
      object: {
        spec: { template: { spec: { nodeSelector: { disk: 'ssd' }, containers: [{ image: 'app:1', args: ['x'] }] } } },
      },
    });
  });

  it('has no fields and types that the schema does not know', () => {
    expect(merge({ replica: 1 })).toEqual({
      error: 'failed to convert patch object to typed object: .spec.replica: field not declared in schema',
    });
    expect(merge({ replicas: 'two' })).toEqual({
      error:
        'failed to convert patch object to typed object: .spec.replicas: expected numeric (int or float), got string',
    });
  });

  it('tells of items that cannot be told apart', () => {
    const item: Schema = { type: 'object', properties: { id: { type: 'string' } } };
    const items: Schema = {
      type: 'array',
      items: item,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['id'],
    };
    const keyed: Schema = { type: 'object', properties: { items } };
    const mergeItems = (found: JsonObject[], written: JsonObject[]) =>
      mergeConfiguration({ items: found }, { items: written }, { schema: keyed, allowsAtomic: false });
    expect(mergeItems([], [{}])).toMatchObject({ error: expect.stringContaining('omits all key fields ["id"]') });
    expect(mergeItems([{}], [{ id: 'a' }])).toMatchObject({ error: expect.stringContaining('failed to merge patch') });
  });

  it('merges maps and replaces lists of a kind without a schema', () => {
    const result = mergeConfiguration(
      { spec: { a: [1], b: 1 } },
      { spec: { a: [2] } },
      { schema: undefined, allowsAtomic: false },
    );
    expect(result).toEqual({ object: { spec: { a: [2], b: 1 } } });
  });
});
