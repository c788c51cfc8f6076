import { rfc3339 } from '../../base/index.ts';
import type { KubeObject } from '../../object/index.ts';
import type { Schema } from '../../schema/index.ts';
import type {
  Conversion,
  PrinterColumn,
  ResourceDefinition,
  ScalePaths,
  Subresource,
} from '../resources/definition.ts';
import { part, type StrategyEnvironment } from './strategy.ts';

/** Keeps a CRD until the objects of its kind are deleted. */
export const crdFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

interface CrdVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly schema?: { readonly openAPIV3Schema?: Schema };
  readonly subresources?: { readonly status?: object; readonly scale?: ScalePaths };
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
}

interface CrdSpec {
  readonly group: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly names: {
    readonly plural: string;
    readonly singular?: string;
    readonly kind: string;
    readonly listKind?: string;
    readonly shortNames?: readonly string[];
    readonly categories?: readonly string[];
  };
  readonly versions: readonly CrdVersion[];
}

/** The real server's controllers accept the names and establish the kind a moment later; here it is immediate. */
export function prepareCrd(object: KubeObject, { now }: StrategyEnvironment): KubeObject {
  const { names, versions } = specOf(object);
  const condition = (type: string, reason: string, message: string) => ({
    type,
    status: 'True',
    lastTransitionTime: rfc3339(now),
    reason,
    message,
  });
  return {
    ...object,
    metadata: { ...object.metadata, finalizers: [...(object.metadata.finalizers ?? []), crdFinalizer] },
    status: {
      conditions: [
        condition('NamesAccepted', 'NoConflicts', 'no conflicts found'),
        condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
      ],
      acceptedNames: names,
      storedVersions: versions.filter(({ storage }) => storage).map(({ name }) => name),
    },
  };
}

export function prepareCrdUpdate(object: KubeObject, old: KubeObject): KubeObject {
  const { names, versions } = specOf(object);
  const status = part(old, 'status');
  const stored = new Set(status['storedVersions'] as readonly string[] | undefined);
  for (const { name, storage } of versions) if (storage) stored.add(name);
  return { ...object, status: { ...status, acceptedNames: names, storedVersions: [...stored] } };
}

function specOf(crd: KubeObject): CrdSpec {
  return crd['spec'] as CrdSpec;
}

const crudVerbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const subresourceVerbs = ['get', 'patch', 'update'];

/** The definitions that a CRD adds to the server: one per served version. */
export function definitionsOf(crd: KubeObject): readonly ResourceDefinition[] {
  const { group, scope, names, versions } = specOf(crd);
  const storageVersion = versions.find(({ storage }) => storage)?.name;
  return versions
    .filter(({ served }) => served)
    .map((version) => ({
      group,
      version: version.name,
      resource: names.plural,
      singular: names.singular || names.kind.toLowerCase(),
      kind: names.kind,
      listKind: names.listKind || `${names.kind}List`,
      namespaced: scope === 'Namespaced',
      shortNames: names.shortNames ?? [],
      categories: names.categories ?? [],
      verbs: crudVerbs,
      subresources: subresourcesOf(version, names.kind, group),
      schema: version.schema?.openAPIV3Schema,
      custom: true,
      storage: `${group}/${names.plural}`,
      columns: version.additionalPrinterColumns,
      selectableFields: version.selectableFields?.map(({ jsonPath }) => jsonPath.replace(/^\./, '')),
      scale: version.subresources?.scale,
      conversion: version.name === storageVersion ? undefined : versionChange(group, version.name, storageVersion!),
    }));
}

function subresourcesOf({ name, subresources }: CrdVersion, kind: string, group: string): readonly Subresource[] {
  return [
    ...(subresources?.status ? [{ name: 'status', kind, group, version: name, verbs: subresourceVerbs }] : []),
    ...(subresources?.scale
      ? [{ name: 'scale', kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: subresourceVerbs }]
      : []),
  ];
}

/** Conversion strategy None: only apiVersion differs. */
function versionChange(group: string, served: string, stored: string): Conversion {
  return {
    toStored: (object) => ({ ...object, apiVersion: `${group}/${stored}` }),
    fromStored: (object) => ({ ...object, apiVersion: `${group}/${served}` }),
  };
}
