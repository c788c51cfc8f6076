import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { validateLabelValue } from '../object/index.ts';
import { labelValueOf, type Origin, originOf, withOrigin } from './origin.ts';

const origin: Origin = {
  policy: 'shop/copy',
  rule: 'a rule with spaces',
  trigger: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web', uid: 'u-1' },
  operation: 'CREATE',
  synchronize: true,
  source: 'v1/ConfigMap/shop/original',
};
const metadata = { name: 'copied', namespace: 'shop', labels: { app: 'x' } };
const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata };

describe('the origin of an object', () => {
  it('is in the labels that Kyverno uses, and in full in an annotation', () => {
    const marked = withOrigin(object, { installation: 'ours', origin });
    expect(marked.metadata.labels).toEqual({
      app: 'x',
      'app.kubernetes.io/managed-by': 'kyverno',
      'generate.kyverno.io/policy-name': 'copy',
      'generate.kyverno.io/policy-namespace': 'shop',
      'generate.kyverno.io/rule-name': expect.stringMatching(/^a-rule-with-spaces-[0-9a-f]{8}$/),
      'generate.kyverno.io/trigger-version': 'v1',
      'generate.kyverno.io/trigger-group': 'apps',
      'generate.kyverno.io/trigger-kind': 'Deployment',
      'generate.kyverno.io/trigger-namespace': 'shop',
      'generate.kyverno.io/trigger-uid': 'u-1',
      'generate.kyverno.io/clone-source': '',
      'generate.kyverno.io/source-name': 'original',
      'generate.kyverno.io/source-namespace': 'shop',
      'generate.kyverno.io/source-kind': 'ConfigMap',
      'generate.kyverno.io/source-version': 'v1',
      'generate.kyverno.io/source-group': '',
      'supercargo.dev/owner': 'ours',
    });
    expect(originOf(marked, 'ours')).toEqual(origin);
  });

  it('is undefined without our label, or when it cannot be parsed', () => {
    const marked = withOrigin(object, { installation: 'theirs', origin });
    expect(originOf(marked, 'ours')).toBeUndefined();
    for (const text of ['', 'null', '[]', '{"trigger":1}', '{"trigger":{}}', '{'])
      expect(
        originOf(
          {
            ...object,
            metadata: { labels: { 'supercargo.dev/owner': 'ours' }, annotations: { 'supercargo.dev/origin': text } },
          },
          'ours',
        ),
      ).toBeUndefined();
  });

  it('is rejected where a namespaced policy would reach outside its namespace', () => {
    const read = (given: Partial<Origin>, namespace = 'shop') =>
      originOf(
        withOrigin(
          { ...object, metadata: { ...metadata, namespace } },
          { installation: 'ours', origin: { ...origin, ...given } },
        ),
        'ours',
      );
    const { source: _, ...withoutSource } = origin;
    expect(read({ source: undefined })).toEqual(withoutSource);
    expect(read({ source: 'v1/Secret/kube-system/token' })).toBeUndefined();
    expect(read({ trigger: { ...origin.trigger, namespace: 'kube-system' } })).toBeUndefined();
    expect(read({}, 'victim')).toBeUndefined();
    const ofExpressions = { policy: 'NamespacedGeneratingPolicy/shop/copy' };
    expect(read(ofExpressions)).toMatchObject(ofExpressions);
    expect(read(ofExpressions, 'victim')).toBeUndefined();
    expect(read({ ...ofExpressions, source: 'v1/Secret/kube-system/token' })).toBeUndefined();
    for (const policy of [
      'NamespacedGeneratingPolicy/copy',
      'GeneratingPolicy/shop/copy',
      'a/b/c',
      'GeneratingPolicy/',
      '',
    ])
      expect(read({ policy }), policy).toBeUndefined();
    const ofCluster = { policy: 'cluster-policy', source: 'v1/ConfigMap/library/original' };
    expect(read(ofCluster, 'victim')).toEqual({ ...origin, ...ofCluster });
  });

  it('gives a valid label for any text, and different labels for different texts', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        expect(validateLabelValue(labelValueOf(a))).toEqual([]);
        if (a !== b) expect(labelValueOf(a)).not.toBe(labelValueOf(b));
      }),
    );
    const long = 'x'.repeat(70);
    expect(labelValueOf(`${long}a`)).not.toBe(labelValueOf(`${long}b`));
  });
});
