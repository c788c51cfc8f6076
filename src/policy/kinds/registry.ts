import { isJsonObject } from '../../base/index.ts';
import type { KubeObject } from '../../object/index.ts';
import type { DerivedSpec } from '../autogen/index.ts';
import type { KindDefinition } from './definition.ts';
import { deletingKind } from './deleting/index.ts';
import { generatingKind } from './generating/index.ts';
import { mutatingKind } from './mutating/index.ts';
import { mutatingAdmissionKind, validatingAdmissionKind } from './native/index.ts';
import type { KindPolicy, KindSpec } from './types.ts';
import { validatingKind } from './validating/index.ts';

const group = 'policies.kyverno.io';
const versions = ['v1alpha1', 'v1beta1', 'v1'];

/** The kinds that run. A new kind is a folder beside `validating`, and a line here. */
const kinds: ReadonlyMap<string, KindDefinition> = new Map(
  Object.entries({
    ValidatingPolicy: validatingKind(false),
    NamespacedValidatingPolicy: validatingKind(true),
    MutatingPolicy: mutatingKind(false),
    NamespacedMutatingPolicy: mutatingKind(true),
    GeneratingPolicy: generatingKind(false),
    NamespacedGeneratingPolicy: generatingKind(true),
    DeletingPolicy: deletingKind(false),
    NamespacedDeletingPolicy: deletingKind(true),
  }) as readonly [string, KindDefinition<KindSpec>][],
);

/** Those that a cluster runs by itself. */
const nativeKinds: ReadonlyMap<string, KindDefinition> = new Map(
  Object.entries({
    ValidatingAdmissionPolicy: validatingAdmissionKind,
    MutatingAdmissionPolicy: mutatingAdmissionKind,
  }) as unknown as readonly [string, KindDefinition<KindSpec>][],
);

/** The definition of an object's kind; undefined for what is no policy of these kinds. */
export function definitionOf(object: unknown): KindDefinition | undefined {
  if (!isJsonObject(object)) return undefined;
  const { apiVersion, kind } = object;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return undefined;
  if (/^admissionregistration\.k8s\.io\/v1(?:alpha1|beta1)?$/.test(apiVersion)) return nativeKinds.get(kind);
  return versions.some((version) => apiVersion === `${group}/${version}`) ? kinds.get(kind) : undefined;
}

/** Whether an object is a policy of a kind that runs. */
export const isKindPolicy = (object: unknown): boolean => definitionOf(object) !== undefined;

/** The specs that autogen derives from a policy whose fields are right. */
export const derivedSpecsOf = (policy: KubeObject): readonly DerivedSpec<KindSpec>[] =>
  definitionOf(policy)?.derive?.((policy as KindPolicy).spec) ?? [];
