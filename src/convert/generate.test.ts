import { describe, expect, it } from 'vitest';
import type { PolicyObject } from '../policy/index.ts';
import { convertPolicy } from './index.ts';

function convert(generate: object, kind = 'ClusterPolicy') {
  const match = { any: [{ resources: { kinds: [kind === 'Policy' ? 'ConfigMap' : 'Namespace'] } }] };
  const metadata = { name: 'p', ...(kind === 'Policy' ? { namespace: 'shop' } : {}) };
  const policy = { apiVersion: 'kyverno.io/v1', kind, metadata, spec: { rules: [{ name: 'r', match, generate }] } };
  const { converted, refused } = convertPolicy(policy as unknown as PolicyObject);
  const [one] = converted;
  if (!one) return refused.map(({ path, reason }) => `${path}: ${reason}`);
  return { ...one.policy, ...(one.policy['spec'] as object) };
}

const into = { namespace: '{{ request.object.metadata.name }}' };

describe('a generate rule', () => {
  it('with data is a template', () => {
    const data = {
      metadata: { labels: { a: 'b' } },
      data: { who: 'of {{ request.object.metadata.name }}', raw: '((x))' },
    };
    const source = { apiVersion: 'v1', kind: 'ConfigMap', name: 'made', ...into, data };
    expect(
      convert({ ...source, synchronize: true, generateExisting: true, orphanDownstreamOnPolicyDelete: true }),
    ).toMatchObject({
      kind: 'GeneratingPolicy',
      evaluation: {
        synchronize: { enabled: true },
        generateExisting: { enabled: true },
        orphanDownstreamOnPolicyDelete: { enabled: true },
      },
      generate: [
        {
          template: {
            interpolate: 'cel',
            value: `apiVersion: v1
kind: ConfigMap
metadata:
  labels:
    a: b
  name: made
  namespace: ((object.metadata.name))
data:
  who: of ((object.metadata.name))
  raw: \\((x))
`,
          },
        },
      ],
    });
  });

  it('with a clone copies it, but not into its own namespace', () => {
    const clone = { namespace: 'default', name: 'regcred' };
    expect(convert({ apiVersion: 'v1', kind: 'Secret', name: 'regcred', ...into, clone })).toMatchObject({
      generate: [
        {
          expression:
            "object.metadata.name == 'default' || generator.Apply(object.metadata.name, [resource.Get('v1', 'secrets', 'default', 'regcred')])",
        },
      ],
    });
  });

  it('with a list of clones copies what has the labels', () => {
    const cloneList = { namespace: 'default', kinds: ['v1/Secret'], selector: { matchLabels: { a: 'b' } } };
    expect(convert({ namespace: 'shop', cloneList })).toMatchObject({
      generate: [
        { expression: "generator.Apply('shop', resource.List('v1', 'secrets', 'default', {'a': 'b'}).items)" },
      ],
    });
  });

  it('of a namespace stays in it', () => {
    const data = { data: { a: '{{ request.object.metadata.name }}' } };
    expect(
      convert({ apiVersion: 'v1', kind: 'ConfigMap', name: 'made', namespace: 'shop', data }, 'Policy'),
    ).toMatchObject({
      kind: 'NamespacedGeneratingPolicy',
      metadata: { namespace: 'shop' },
    });
  });

  it('that renames its clone or goes through a list has no equivalent', () => {
    const clone = { namespace: 'default', name: 'regcred' };
    expect(convert({ apiVersion: 'v1', kind: 'Secret', name: 'other', ...into, clone })).toEqual([
      'spec.rules[0].generate.clone.name: a clone with another name than its source',
    ]);
    const foreach = [
      { list: 'request.object.metadata.finalizers', apiVersion: 'v1', kind: 'ConfigMap', name: 'a', ...into, data: {} },
    ];
    expect(convert({ foreach })).toEqual([expect.stringContaining('spec.rules[0].generate.foreach: ')]);
  });
});
