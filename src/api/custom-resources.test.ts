import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { crdManifests } from '../../scripts/crd-manifests.ts';
import { customResourceDefinitions } from './index.ts';
import type { Schema } from './schema.ts';

const folder = new URL('../../manifests/crds/', import.meta.url);

interface Spec {
  readonly names: { readonly kind: string };
  readonly versions: readonly {
    readonly name: string;
    readonly storage: boolean;
    readonly schema: { readonly openAPIV3Schema: Schema };
    readonly additionalPrinterColumns: readonly { readonly name: string; readonly priority?: number }[];
  }[];
}

function schemas(): readonly { readonly kind: string; readonly schema: Schema }[] {
  return customResourceDefinitions('x').flatMap((crd) => {
    const { names, versions } = crd['spec'] as Spec;
    return versions.map(({ schema }) => ({ kind: names.kind, schema: schema.openAPIV3Schema }));
  });
}

describe('custom resources', () => {
  it('equal the files in manifests/crds', () => {
    const expected = crdManifests();
    expect(readdirSync(folder).sort()).toEqual(expected.map(({ file }) => file).sort());
    for (const { file, text } of expected)
      expect(readFileSync(new URL(file, folder), 'utf8'), `${file}: run npm run generate:manifests`).toBe(text);
  });

  it('describe every field in a sentence', () => {
    const missing: string[] = [];
    const walk = (schema: Schema, path: string) => {
      for (const [name, field] of Object.entries(schema.properties ?? {})) {
        // The API server describes metadata itself.
        if (path.endsWith(':') && name === 'metadata') continue;
        if (!/\.$/.test(field.description ?? '')) missing.push(`${path}${name}`);
        walk(field, `${path}${name}.`);
      }
      if (schema.items) walk(schema.items, path);
      if (schema.additionalProperties) walk(schema.additionalProperties, path);
    };
    for (const { kind, schema } of schemas()) {
      if (!/\.$/.test(schema.description ?? '')) missing.push(kind);
      walk(schema, `${kind}:`);
    }
    expect(missing).toEqual([]);
  });

  it('fit into the annotation in which kubectl apply keeps what it applied', () => {
    for (const crd of customResourceDefinitions('x'))
      expect(JSON.stringify(crd).length, crd.metadata.name!).toBeLessThan(200 * 1024);
  });

  it('store exactly one version each', () => {
    for (const crd of customResourceDefinitions('x')) {
      const { versions } = crd['spec'] as Spec;
      expect(versions.filter(({ storage }) => storage)).toHaveLength(1);
    }
  });

  it('show reports as PASS FAIL WARN ERROR SKIP AGE', () => {
    const report = customResourceDefinitions('x').find(
      ({ metadata }) => metadata.name === 'policyreports.wgpolicyk8s.io',
    );
    const [version] = (report!['spec'] as Spec).versions;
    expect(version?.additionalPrinterColumns.map(({ name }) => name)).toEqual([
      'PASS',
      'FAIL',
      'WARN',
      'ERROR',
      'SKIP',
      'AGE',
    ]);
  });
});
