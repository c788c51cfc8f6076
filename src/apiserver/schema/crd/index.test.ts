import { describe, expect, it } from 'vitest';
import { renderFieldError } from '../field-error.ts';
import { checkCrd } from './index.ts';

const version = (name: string, storage: boolean, spec: Record<string, unknown> = { type: 'object' }) => ({
  name,
  served: true,
  storage,
  schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
});
const crd = (...versions: unknown[]) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com', resourceVersion: '1' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions,
  },
  status: { storedVersions: ['v1'], conditions: [{ type: 'Established', status: 'True' }] },
});
const fieldsOf = (...args: Parameters<typeof checkCrd>) => checkCrd(...args).map((error) => error.field);

describe('checkCrd', () => {
  it('accepts a good definition', () => {
    expect(checkCrd(crd(version('v1', true)))).toEqual([]);
  });

  it('wants exactly one storage version', () => {
    const lines = checkCrd(crd(version('v1', false))).map(renderFieldError);
    expect(lines).toEqual([expect.stringContaining('must have exactly one version marked as storage version')]);
  });

  it('reports a mistake that all versions share once, at the top', () => {
    const bad = { type: 'array' };
    expect(fieldsOf(crd(version('v1', true, bad), version('v2', false, bad)))).toEqual([
      'spec.validation.openAPIV3Schema.properties[spec].items',
    ]);
    expect(fieldsOf(crd(version('v1', true), version('v2', false, bad)))).toEqual([
      'spec.versions[1].schema.openAPIV3Schema.properties[spec].items',
    ]);
  });

  it('keeps stored versions in the list', () => {
    expect(fieldsOf(crd(version('v2', true)))).toEqual(['status.storedVersions', 'status.storedVersions[0]']);
  });

  it('does not let names and scope of an established definition change', () => {
    const old = crd(version('v1', true));
    const names = { ...old.spec.names, kind: 'Gadget', plural: 'gadgets' };
    const updated = { ...old, spec: { ...old.spec, scope: 'Cluster', names } };
    expect(fieldsOf(updated, old)).toEqual(['spec.scope', 'spec.names.kind', 'spec.names.plural']);
  });
});
