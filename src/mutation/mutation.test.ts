import { describe, expect, it } from 'vitest';
import { compile, dynType, kyvernoEnvironment, withMutations } from '../cel/index.ts';
import type { KubeObject } from '../object/index.ts';
import { builtinSchemaOf } from '../schema/index.ts';
import { applyConfiguration, applyPatchValue, type MutationResult } from './index.ts';

const pod: KubeObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', labels: { app: 'web' } },
  spec: { containers: [{ name: 'app', image: 'app:1' }] },
};
const schema = builtinSchemaOf({ group: '', version: 'v1', kind: 'Pod' });
const environment = withMutations(kyvernoEnvironment);

const evaluate = (expression: string) =>
  compile(expression, { environment, variables: new Map([['object', dynType]]) }).evaluate([pod]).value;
const configure = (expression: string, allowsAtomic = false): MutationResult =>
  applyConfiguration(pod, evaluate(expression), { schema, allowsAtomic });
const patch = (expression: string): MutationResult => applyPatchValue(pod, evaluate(expression));

describe('an apply configuration', () => {
  it('is merged by the lists of the kind', () => {
    const result = configure(
      `Object{kind: "Secret", spec: Object.spec{containers: object.spec.containers.map(c,
        Object.spec.containers{name: c.name, imagePullPolicy: "Always"})}}`,
    );
    expect(result).toMatchObject({
      object: { kind: 'Pod', spec: { containers: [{ name: 'app', image: 'app:1', imagePullPolicy: 'Always' }] } },
    });
  });

  it('is refused with types out of place, unknown fields and what is atomic', () => {
    expect(configure('Object{spec: Object.specs{}}')).toMatchObject({
      error: expect.stringContaining('type mismatch: unexpected type name "Object.specs", expected "Object.spec"'),
    });
    expect(configure('Object{spec: Object.spec{container: 1}}')).toMatchObject({
      error: expect.stringContaining('.spec.container: field not declared in schema'),
    });
    expect(configure('Object{spec: Object.spec{tolerations: [{"key": "a"}]}}')).toMatchObject({
      error: expect.stringContaining('may not mutate atomic arrays, maps or structs: .spec.tolerations'),
    });
    expect(configure('Object{spec: Object.spec{tolerations: [{"key": "a"}]}}', true)).toMatchObject({
      object: { spec: { tolerations: [{ key: 'a' }] } },
    });
  });
});

describe('a JSON patch', () => {
  it('writes lists, maps, scalars and objects', () => {
    const result = patch(`[
      JSONPatch{op: "add", path: "/metadata/labels/" + jsonpatch.escapeKey("a/b"), value: "x"},
      JSONPatch{op: "replace", path: "/spec/containers/0/image", value: "app:2"},
      JSONPatch{op: "add", path: "/spec/containers/-", value: Object.spec.containers{name: "b"}},
      JSONPatch{op: "copy", from: "/metadata/name", path: "/spec/hostname"}]`);
    expect(result).toMatchObject({
      object: {
        metadata: { labels: { app: 'web', 'a/b': 'x' } },
        spec: { hostname: 'web', containers: [{ name: 'app', image: 'app:2' }, { name: 'b' }] },
      },
    });
  });

  it('leaves the object as it was after a test that fails', () => {
    const result = patch(`[JSONPatch{op: "remove", path: "/spec"}, JSONPatch{op: "test", path: "/kind", value: "x"}]`);
    expect(result).toEqual({ object: pod });
  });

  it('tells of an operation that does not fit', () => {
    expect(patch('[JSONPatch{op: "remove", path: "/spec/nodeName"}]')).toMatchObject({
      error: expect.stringContaining('JSON Patch: error in remove'),
    });
    expect(patch('[JSONPatch{op: "replace", path: "", value: {"a": 1}}]')).toMatchObject({
      error: 'JSON Patch: the result is not an object with a kind',
    });
    expect(patch('[JSONPatch{op: "add", path: "/x", value: {1: 1}}]')).toMatchObject({
      error: expect.stringContaining('could not marshal to JSON'),
    });
  });
});
