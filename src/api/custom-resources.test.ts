import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { crdManifests } from '../../scripts/crd-manifests.ts';
import { customResourceDefinitions } from './index.ts';

const folder = new URL('../../manifests/crds/', import.meta.url);

interface Spec {
  readonly versions: readonly {
    readonly name: string;
    readonly storage: boolean;
    readonly additionalPrinterColumns: readonly { readonly name: string; readonly priority?: number }[];
  }[];
}

describe('custom resources', () => {
  it('equal the files in manifests/crds', () => {
    const expected = crdManifests();
    expect(readdirSync(folder).sort()).toEqual(expected.map(({ file }) => file).sort());
    for (const { file, text } of expected)
      expect(readFileSync(new URL(file, folder), 'utf8'), `${file}: run npm run generate:manifests`).toBe(text);
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
