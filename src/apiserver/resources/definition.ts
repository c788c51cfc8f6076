import type { GroupVersionResource, KubeObject } from '../../object/index.ts';
import type { Schema } from '../../schema/index.ts';

export interface Subresource {
  readonly name: string;
  readonly kind: string;
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
}

export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
}

/** One served version of a resource: everything the server must know to answer for it. */
export interface ResourceDefinition extends GroupVersionResource {
  readonly kind: string;
  readonly singular: string;
  readonly listKind: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly Subresource[];
  /** Absent only for kinds whose content is not checked. */
  readonly schema: Schema | undefined;
  /** True for kinds that a CustomResourceDefinition made. */
  readonly custom: boolean;
  /** Where the objects are kept: versions of one resource share it. */
  readonly storage: string;
  readonly columns?: readonly PrinterColumn[] | undefined;
  /** Custom kinds: what field selectors may name beside the metadata. */
  readonly selectableFields?: readonly string[] | undefined;
  readonly scale?: ScalePaths | undefined;
  /** Between the stored form and this version's; absent when they are the same. */
  readonly conversion?: Conversion | undefined;
}

export interface Conversion {
  readonly toStored: (object: KubeObject) => KubeObject;
  readonly fromStored: (object: KubeObject) => KubeObject;
}

export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

export function hasSubresource(definition: ResourceDefinition, name: string): boolean {
  return definition.subresources.some((subresource) => subresource.name === name);
}

/** `namespace/name`, or the name alone for cluster-scoped kinds. */
export function storageKey(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}
