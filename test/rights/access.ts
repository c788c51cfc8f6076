import type { KubeObject } from '../../src/object/index.ts';

/** What was asked of an API server, as its authorizer saw it. */
export interface RecordedRequest {
  readonly verb: string;
  readonly group: string;
  /** With its subresource: `pods/log`. */
  readonly resource: string;
  /** Empty for all namespaces and for cluster-scoped resources. */
  readonly namespace: string;
  /** Empty if the request names no object. */
  readonly name: string;
}

/** The smallest part of a rule: one verb on one resource, of one name or of all. */
export interface Right {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  /** Undefined: everywhere. */
  readonly namespace?: string | undefined;
  /** Undefined: of any name. */
  readonly name?: string | undefined;
}

interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

interface Binding extends KubeObject {
  readonly roleRef: { readonly kind: string; readonly name: string };
  readonly subjects?: readonly { readonly name: string }[];
}

/** The rights that manifests give an account, each once. Rules of aggregated roles are written by administrators. */
export function rightsOf(manifests: readonly KubeObject[], account: string): readonly Right[] {
  const roles = manifests.filter(({ kind }) => kind === 'Role' || kind === 'ClusterRole');
  const bindings = manifests.filter(({ kind }) => kind.endsWith('RoleBinding')) as unknown as readonly Binding[];
  const rights = bindings
    .filter(({ subjects }) => subjects?.some(({ name }) => name === account))
    .flatMap(({ kind, metadata: { namespace }, roleRef }) => {
      const role = roles.find(
        (one) =>
          one.kind === roleRef.kind &&
          one.metadata.name === roleRef.name &&
          (one.kind === 'ClusterRole' || one.metadata.namespace === namespace),
      );
      if (!role) throw new Error(`${kind} refers to a missing ${roleRef.kind} ${roleRef.name}`);
      return ((role['rules'] ?? []) as readonly Rule[]).flatMap((rule) => rightsOfRule(rule, namespace));
    });
  return [...new Map(rights.map((right) => [describeRight(right), right])).values()];
}

export const rightsOfRule = (
  { apiGroups = [], resources = [], verbs, resourceNames }: Rule,
  namespace?: string,
): readonly Right[] =>
  apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) =>
        (resourceNames ?? [undefined]).map((name) => ({ verb, group, resource, namespace, name })),
      ),
    ),
  );

export const allows = (right: Right, { verb, group, resource, namespace, name }: RecordedRequest) =>
  right.verb === verb &&
  right.group === group &&
  (right.resource === resource || right.resource === '*') &&
  (right.namespace === undefined || right.namespace === namespace) &&
  (right.name === undefined || right.name === name);

const includes = (wider: Right, right: Right) =>
  wider.verb === right.verb &&
  wider.group === right.group &&
  (wider.resource === right.resource || wider.resource === '*') &&
  (wider.namespace === undefined || wider.namespace === right.namespace) &&
  (wider.name === undefined || wider.name === right.name);

/** The requests that none of the rights allows. */
export const uncovered = (rights: readonly Right[], requests: readonly RecordedRequest[]) =>
  requests.filter((request) => !rights.some((right) => allows(right, request)));

/** The rights that can be removed, one at a time, and all requests are still covered. */
export const unneeded = (rights: readonly Right[], requests: readonly RecordedRequest[]) =>
  rights.filter((right) => {
    const others = rights.filter((one) => one !== right);
    return uncovered(others, requests).length === uncovered(rights, requests).length;
  });

/** Without what a wider right of another feature includes: that feature may be off, and then the right is needed. */
export const widest = (rights: readonly Right[]) =>
  rights.filter((right) => !rights.some((other) => other !== right && includes(other, right)));

/** `list leases.coordination.k8s.io #name @namespace`. */
export const describeRight = ({ verb, group, resource, namespace, name }: Right) =>
  [
    `${verb} ${resource}${group === '' ? '' : `.${group}`}`,
    ...(name ? [`#${name}`] : []),
    ...(namespace ? [`@${namespace}`] : []),
  ].join(' ');
