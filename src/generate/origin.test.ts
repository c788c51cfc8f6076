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
  source: 'v1/Secret/library/original',
};
const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'copied', labels: { app: 'x' } } };

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
      'generate.kyverno.io/source-namespace': 'library',
      'generate.kyverno.io/source-kind': 'Secret',
      'generate.kyverno.io/source-version': 'v1',
      'generate.kyverno.io/source-group': '',
      'supercargo.dev/owner': 'ours',
    });
    expect(originOf(marked, 'ours')).toEqual(origin);
  });

  it('is nobody’s without our label, or when it cannot be read', () => {
    const marked = withOrigin(object, { installation: 'theirs', origin });
    expect(originOf(marked, 'ours')).toBeUndefined();
    for (const text of ['', 'null', '[]', '{"trigger":1}', '{'])
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

  it('makes a legal label of any text, and different ones of different texts', () => {
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
