import { assignOwn } from '../base/index.ts';
import type { Files } from '../manifests/index.ts';
import { placeOf, readDocuments } from '../manifests/index.ts';
import type { GroupVersionKind, KubeObject, Labels } from '../object/index.ts';
import type { PolicyProgram, RuleProgram } from '../policy/index.ts';
import { anything, flag, listOf, map, type Reader, refuse, type Shape, shape, text, textMap } from './strict.ts';
import { type Variables, variableTree } from './variable-key.ts';

export interface ValuesSpec {
  readonly globalValues?: Variables;
  readonly policies?: readonly PolicyValues[];
  readonly namespaceSelector?: readonly { readonly name: string; readonly labels?: Labels }[];
  readonly namespaces?: readonly unknown[];
  readonly subresources?: readonly SubresourceValues[];
}

interface PolicyValues {
  readonly name: string;
  readonly resources?: readonly { readonly name: string; readonly values?: Variables }[];
  readonly rules?: readonly {
    readonly name: string;
    readonly values?: Variables;
    readonly foreachValues?: Readonly<Record<string, readonly unknown[]>>;
  }[];
}

interface ApiResource {
  readonly name?: string;
  readonly singularName?: string;
  readonly namespaced?: boolean;
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
  readonly verbs?: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly storageVersionHash?: string;
}

interface SubresourceValues {
  readonly subresource: ApiResource;
  readonly parentResource: ApiResource;
}

const apiResource: Shape<ApiResource> = {
  name: text,
  singularName: text,
  namespaced: flag,
  group: text,
  version: text,
  kind: text,
  verbs: listOf(text),
  shortNames: listOf(text),
  categories: listOf(text),
  storageVersionHash: text,
};

const foreachValues: Reader<Readonly<Record<string, readonly unknown[]>>> = (value, where) =>
  Object.fromEntries(
    Object.entries(map(value, where)).map(([key, list]) => [key, listOf(anything)(list, `${where} ${key}`)]),
  );

export const valuesShape: Shape<ValuesSpec> = {
  globalValues: map,
  policies: listOf(
    shape<PolicyValues>({
      name: text,
      resources: listOf(shape<{ name: string; values?: Variables }>({ name: text, values: map })),
      rules: listOf(shape<NonNullable<PolicyValues['rules']>[number]>({ name: text, values: map, foreachValues })),
    }),
  ),
  namespaceSelector: listOf(shape<{ name: string; labels?: Labels }>({ name: text, labels: textMap })),
  namespaces: listOf(anything),
  subresources: listOf(
    shape<SubresourceValues>({ subresource: shape(apiResource), parentResource: shape(apiResource) }),
  ),
};

interface ValuesFile extends ValuesSpec {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: unknown;
}

/**
 * Reads a file of kind Values (`cli.kyverno.io/v1alpha1`). The kind is not checked, because Kyverno does not check it
 * and many files have another. Unknown fields are rejected.
 */
export function loadValues(files: Files, file: string): ValuesSpec {
  const [document, second] = readDocuments(files, file);
  if (!document || second) return refuse(file, 'one document of kind Values is expected');
  const where = placeOf(document);
  return shape<ValuesFile>({ ...valuesShape, apiVersion: text, kind: text, metadata: map })(document.value, where);
}

/** Look-ups in a values file. */
export interface Values {
  /** Variables of this policy on this resource, without those of single rules. Equal results are the same object. */
  variablesFor(policy: string, resource: string): Variables;
  ruleVariables(policy: PolicyProgram, rule: RuleProgram): Variables | undefined;
  namespaceLabels(namespace: string): Labels | undefined;
  /** The namespace as the file describes it. */
  namespaceObject(namespace: string): unknown;
  /** The kind of a subresource: `PodExecOptions` → Pod, exec. */
  parentOf(kind: GroupVersionKind): { readonly kind: GroupVersionKind; readonly subresource: string } | undefined;
  readonly spec: ValuesSpec;
}

/** True if `name` is the rule of that name, or one generated from it. */
export function isRuleNamed(name: string, rule: string): boolean {
  return name === rule || name === `autogen-${rule}` || name === `autogen-cronjob-${rule}`;
}

export function valuesOf(spec: ValuesSpec = {}): Values {
  const globals = variableTree(spec.globalValues ?? {});
  const perResource = new Map<string, Variables>();
  const perRule = new WeakMap<RuleProgram, { readonly variables: Variables | undefined }>();
  const objects = namespaceObjects(spec);
  const labels = new Map([...objects].map(([name, { metadata }]) => [name, metadata.labels ?? {}]));
  return {
    spec,
    variablesFor(policy, resource) {
      const own = (spec.policies ?? [])
        .filter(({ name }) => name === policy)
        .flatMap(({ resources = [] }) => resources.filter(({ name }) => name === resource));
      if (own.length === 0) return globals;
      const key = JSON.stringify([policy, resource]);
      let variables = perResource.get(key);
      if (!variables) {
        // A key of the resource replaces the same key of the globals as a whole.
        const merged: Record<string, unknown> = { ...spec.globalValues };
        for (const { values } of own) assignOwn(merged, values ?? {});
        variables = variableTree(merged);
        perResource.set(key, variables);
      }
      return variables;
    },
    ruleVariables(policy, rule) {
      let known = perRule.get(rule);
      if (!known) {
        known = { variables: ruleTree(spec, policy.policy.metadata.name ?? '', rule.name) };
        perRule.set(rule, known);
      }
      return known.variables;
    },
    namespaceLabels: (namespace) => labels.get(namespace),
    namespaceObject: (namespace) => objects.get(namespace),
    parentOf: (kind) => parentOf(spec.subresources ?? [], kind),
  };
}

function ruleTree(spec: ValuesSpec, policy: string, rule: string): Variables | undefined {
  const found = (spec.policies ?? [])
    .filter(({ name }) => name === policy)
    .flatMap(({ rules = [] }) => rules)
    .find(({ name }) => isRuleNamed(rule, name));
  if (!found) return undefined;
  const first = Object.entries(found.foreachValues ?? {}).map(([key, list]) => [key, list[0] ?? null]);
  return variableTree({ ...found.values, ...Object.fromEntries(first) });
}

function namespaceObjects(spec: ValuesSpec): ReadonlyMap<string, Pick<KubeObject, 'metadata'>> {
  const objects = new Map<string, Pick<KubeObject, 'metadata'>>();
  for (const { name, labels = {} } of spec.namespaceSelector ?? []) {
    objects.set(name, { metadata: { name, labels } });
  }
  for (const entry of spec.namespaces ?? []) {
    const namespace = entry as KubeObject;
    if (namespace.metadata?.name) objects.set(namespace.metadata.name, namespace);
  }
  return objects;
}

function parentOf(subresources: readonly SubresourceValues[], { group, version, kind }: GroupVersionKind) {
  const isKind = (resource: ApiResource) =>
    (resource.group ?? '') === group && (resource.version ?? '') === version && resource.kind === kind;
  const found = subresources.findLast(({ subresource }) => isKind(subresource));
  if (!found) return undefined;
  const { parentResource: parent, subresource } = found;
  return {
    kind: { group: parent.group ?? '', version: parent.version ?? '', kind: parent.kind ?? '' },
    subresource: subresource.name?.split('/')[1] ?? '',
  };
}
