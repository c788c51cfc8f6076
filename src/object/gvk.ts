export interface GroupVersion {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
}
export interface GroupVersionKind extends GroupVersion {
  readonly kind: string;
}
export interface GroupVersionResource extends GroupVersion {
  /** Plural and lower case, as in URLs. */
  readonly resource: string;
}

/** `apps/v1` → group apps, version v1; `v1` → the core group. */
export function parseApiVersion(apiVersion: string): GroupVersion {
  const slash = apiVersion.indexOf('/');
  if (slash === -1) return { group: '', version: apiVersion };
  return { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

export function renderApiVersion({ group, version }: GroupVersion): string {
  return group === '' ? version : `${group}/${version}`;
}

export function gvkOf(object: { readonly apiVersion: string; readonly kind: string }): GroupVersionKind {
  return { ...parseApiVersion(object.apiVersion), kind: object.kind };
}

/** `apps/v1/Deployment`: a key for maps, and the form in messages. */
export function renderGvk(gvk: GroupVersionKind): string {
  return `${renderApiVersion(gvk)}/${gvk.kind}`;
}

export function renderGvr(gvr: GroupVersionResource): string {
  return `${renderApiVersion(gvr)}/${gvr.resource}`;
}

/** `deployments.apps`, the form of a resource in Kubernetes messages and RBAC errors. */
export function renderGroupResource({ group, resource }: { group: string; resource: string }): string {
  return group === '' ? resource : `${resource}.${group}`;
}
