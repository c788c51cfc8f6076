import type { KubeObject } from '../../object/index.ts';
import { part } from './strategy.ts';

/** Removed by the namespace clean-up once the namespace is empty. */
export const namespaceFinalizer = 'kubernetes';
const nameLabel = 'kubernetes.io/metadata.name';

export function prepareNamespace(object: KubeObject): KubeObject {
  return {
    ...withNameLabel(object),
    spec: { ...part(object, 'spec'), finalizers: withFinalizer(part(object, 'spec')['finalizers']) },
    status: { phase: 'Active' },
  };
}

/** `spec.finalizers` changes only through the finalize subresource. */
export function prepareNamespaceUpdate(object: KubeObject, old: KubeObject): KubeObject {
  return { ...withNameLabel(object), spec: { ...part(object, 'spec'), finalizers: part(old, 'spec')['finalizers'] } };
}

function withFinalizer(given: unknown): readonly string[] {
  const present = (given as readonly string[] | undefined) ?? [];
  return present.includes(namespaceFinalizer) ? present : [...present, namespaceFinalizer];
}

function withNameLabel(object: KubeObject): KubeObject {
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, labels: { ...metadata.labels, [nameLabel]: metadata.name! } } };
}
