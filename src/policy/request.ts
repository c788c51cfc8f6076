import type { GroupVersionKind, KubeObject } from '../object/index.ts';

export type PolicyOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

export interface RequestUser {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Who asks, with the roles that are bound to them. Absent in background scans, where nobody asks. */
export interface RequestInfo {
  readonly userInfo: RequestUser;
  readonly roles: readonly string[];
  readonly clusterRoles: readonly string[];
}

/** One thing to judge: an admission request, or an object as it stands. Never changed. */
export interface PolicyRequest {
  readonly operation: PolicyOperation;
  readonly kind: GroupVersionKind;
  readonly subresource: string;
  /** Absent for DELETE. */
  readonly object?: KubeObject | undefined;
  readonly oldObject?: KubeObject | undefined;
  readonly namespaceLabels: Readonly<Record<string, string>>;
  readonly info?: RequestInfo | undefined;
  readonly dryRun?: boolean | undefined;
  /** The request's, or the object's own: random names are drawn from it, so that a replay draws the same. */
  readonly uid: string;
  /** The moment of the request; expressions see no other time. */
  readonly now: number;
  /** Merged over what expressions see, for tests and dry runs. */
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
}

/** What a rule is about: the object, or what is to be deleted. */
export function subjectOf({ object, oldObject }: PolicyRequest): KubeObject | undefined {
  return object ?? oldObject;
}
