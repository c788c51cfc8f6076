import { describe, expect, it } from 'vitest';
import { applyJsonPatch, type KubeObject } from '../object/index.ts';
import { rewritePatch } from './rewrite.ts';
import { podSpecFieldOf } from './workload.ts';

const note = 'supercargo.dev/source-images';
const pod = (metadata: object, spec: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'x', resourceVersion: '7', ...metadata },
  spec: {
    containers: [
      { name: 'a', image: 'one' },
      { name: 'b', image: 'two' },
    ],
    unheardOf: { 'of a newer version': true },
    ...spec,
  },
});

function rewritten(object: KubeObject, replacements: Readonly<Record<string, string>>, more: object = {}): KubeObject {
  const part = podSpecFieldOf(object)!;
  const replaced = part.images.flatMap((field) =>
    replacements[field.name] ? [{ field, image: replacements[field.name]! }] : [],
  );
  const patch = rewritePatch({ object, pod: part, replaced, ...more });
  return applyJsonPatch(object, patch) as unknown as KubeObject;
}

describe('the patch of a rewrite', () => {
  it('is empty when nothing is replaced', () => {
    const object = pod({});
    expect(rewritePatch({ object, pod: podSpecFieldOf(object)!, replaced: [], pullSecret: 'x' })).toEqual([]);
  });

  it('changes the images and records the originals, and nothing else', () => {
    const result = rewritten(pod({ annotations: { mine: 'kept' } }), { b: 'copy/two' });
    expect(result).toEqual({
      ...pod({
        annotations: { mine: 'kept', [note]: JSON.stringify({ b: { from: 'two', to: 'copy/two' } }) },
      }),
      spec: {
        containers: [
          { name: 'a', image: 'one' },
          { name: 'b', image: 'copy/two' },
        ],
        unheardOf: { 'of a newer version': true },
      },
    });
    expect(rewritten(pod({}), { a: 'copy/one' }).metadata.annotations).toEqual({
      [note]: '{"a":{"from":"one","to":"copy/one"}}',
    });
  });

  it('keeps the records of containers that still have their copy, and drops all others', () => {
    const before = {
      a: { from: 'old', to: 'one' },
      b: { from: 'old', to: 'something else' },
      gone: { from: 'x', to: 'y' },
    };
    const result = rewritten(pod({ annotations: { [note]: JSON.stringify(before) } }), { b: 'copy/two' });
    expect(JSON.parse(result.metadata.annotations![note]!)).toEqual({
      a: { from: 'old', to: 'one' },
      b: { from: 'two', to: 'copy/two' },
    });
    const garbled = rewritten(pod({ annotations: { [note]: '{' } }), { b: 'copy/two' });
    expect(JSON.parse(garbled.metadata.annotations![note]!)).toEqual({ b: { from: 'two', to: 'copy/two' } });
  });

  it('adds the pull secret for the copies once', () => {
    const secretsOf = (spec: object) =>
      (rewritten(pod({}, spec), { a: 'copy/one' }, { pullSecret: 'backup' })['spec'] as Record<string, unknown>)[
        'imagePullSecrets'
      ];
    expect(secretsOf({})).toEqual([{ name: 'backup' }]);
    expect(secretsOf({ imagePullSecrets: [{ name: 'own' }] })).toEqual([{ name: 'own' }, { name: 'backup' }]);
    expect(secretsOf({ imagePullSecrets: [{ name: 'backup' }] })).toEqual([{ name: 'backup' }]);
  });
});
