import type { GroupVersionKind, GroupVersionResource, KubeObject } from '../object/index.ts';

export type PolicyOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

export interface RequestUser {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The user of the request, with the roles bound to the user. Absent in background scans, which have no user. */
export interface RequestInfo {
  readonly userInfo: RequestUser;
  readonly roles: readonly string[];
  readonly clusterRoles: readonly string[];
}

/** A kind with its plural, where that is known; otherwise it is guessed, as Kubernetes does. */
export type MatchedKind = GroupVersionKind & { readonly resource?: string | undefined };

/** What some policies judge in place of an object of the cluster. */
export interface Payload {
  /** A document, or a request that a proxy asks about. */
  readonly mode: 'JSON' | 'HTTP' | 'Envoy';
  readonly value: unknown;
}

/** What an admission request says of itself, as expressions show it. Of stored objects it follows from the object. */
export interface RequestAttributes {
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  readonly requestKind?: GroupVersionKind | undefined;
  readonly requestResource?: GroupVersionResource | undefined;
  readonly requestSubResource?: string | undefined;
  readonly name: string;
  readonly namespace: string;
  readonly options?: unknown;
}

/** The input of an evaluation: an admission request, or an existing object. Never changed. */
export interface PolicyRequest {
  readonly operation: PolicyOperation;
  readonly kind: MatchedKind;
  readonly subresource: string;
  /** In place of an object. */
  readonly payload?: Payload | undefined;
  /** Absent for DELETE. */
  readonly object?: KubeObject | undefined;
  readonly oldObject?: KubeObject | undefined;
  readonly namespaceLabels: Readonly<Record<string, string>>;
  /**
   * The namespace as CEL expressions see it: null where nothing is known of it. Without it, expressions see its name and
   * labels, and what else they read is looked up.
   */
  readonly namespaceObject?: unknown;
  readonly info?: RequestInfo | undefined;
  readonly attributes?: RequestAttributes | undefined;
  readonly dryRun?: boolean | undefined;
  /** Of the request or the object: the seed of random names, so that a replay gives the same names. */
  readonly uid: string;
  /** The time of the request; expressions see no other clock. */
  readonly now: number;
  /** Merged over the scope of expressions, for tests and dry runs. */
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
}

/** The plural of the kind. */
export const resourceOf = ({ kind, resource }: MatchedKind): string => resource ?? guessPlural(kind);

/** As Kubernetes guesses it where nobody has told it. */
export function guessPlural(kind: string): string {
  const singular = kind.toLowerCase();
  if (singular === 'endpoints') return singular;
  if (singular.endsWith('s')) return `${singular}es`;
  return singular.endsWith('y') ? `${singular.slice(0, -1)}ies` : `${singular}s`;
}

/** The object that rules are evaluated on: the new object, or the old one for DELETE. */
export function subjectOf({ object, oldObject }: PolicyRequest): KubeObject | undefined {
  return object ?? oldObject;
}
