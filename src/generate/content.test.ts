import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../object/index.ts';
import { isAsWanted, renewed } from './content.ts';

const configMap = (data: Readonly<Record<string, string>>, more: Partial<KubeObject['metadata']> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', ...more },
  data,
});

describe('an object compared with what its rule wants', () => {
  it('may have additions of the server and other writers', () => {
    const wanted = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'a', labels: { app: 'a' } },
      spec: { template: { spec: { containers: [{ name: 'c', image: 'i' }] } } },
    };
    const actual = {
      ...wanted,
      metadata: { name: 'a', uid: 'u', labels: { app: 'a', more: 'x' }, annotations: { revision: '1' } },
      spec: { replicas: 1, template: { spec: { containers: [{ name: 'c', image: 'i', imagePullPolicy: 'Always' }] } } },
      status: { replicas: 1 },
    };
    expect(isAsWanted(wanted, actual)).toBe(true);
    const other = structuredClone(actual);
    other.spec.template.spec.containers[0]!.image = 'j';
    expect(isAsWanted(wanted, other)).toBe(false);
    const longer = structuredClone(actual);
    longer.spec.template.spec.containers.push({ name: 'd', image: 'i', imagePullPolicy: 'Always' });
    expect(isAsWanted(wanted, longer)).toBe(false);
  });

  it('differs when a key of data was added, changed or removed', () => {
    expect(isAsWanted(configMap({ a: '1' }), configMap({ a: '1' }))).toBe(true);
    expect(isAsWanted(configMap({ a: '1' }), configMap({ a: '1', b: '2' }))).toBe(false);
    expect(isAsWanted(configMap({ a: '1' }), configMap({ a: '2' }))).toBe(false);
    expect(isAsWanted(configMap({ a: '1' }), configMap({}))).toBe(false);
  });

  it('differs when one of our labels is missing, and not when the trigger differs', () => {
    const label = (labels: Readonly<Record<string, string>>) => configMap({}, { labels });
    expect(isAsWanted(label({ a: '1' }), label({}))).toBe(false);
    const by = (trigger: string) => configMap({}, { annotations: { 'supercargo.dev/origin': trigger } });
    expect(isAsWanted(by('one'), by('two'))).toBe(true);
  });

  it('is renewed under the resource version that was read, and keeps fields of others', () => {
    const actual = configMap(
      { a: 'x', b: 'y' },
      { uid: 'u', resourceVersion: '7', labels: { theirs: '1', ours: 'old' }, finalizers: ['f'] },
    );
    expect(renewed(configMap({ a: '1' }, { labels: { ours: 'new' } }), actual)).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: 'a',
        uid: 'u',
        resourceVersion: '7',
        labels: { theirs: '1', ours: 'new' },
        annotations: {},
        finalizers: ['f'],
      },
      data: { a: '1' },
    });
  });
});
