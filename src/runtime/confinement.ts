import { isJsonObject } from '../base/index.ts';
import { matchesWildcard } from '../jmespath/index.ts';
import type { LookUp } from '../policy/index.ts';

/** What an administrator allows policies to look up beyond the defaults. */
export interface LookUpRules {
  /** Paths of the API server that ClusterPolicies may POST to in addition to reviews; `*` matches any characters. */
  readonly postPaths: readonly string[];
  /** Namespaces whose policies may call services; `*` for all. */
  readonly serviceCallNamespaces: readonly string[];
  /** Namespaces whose policies may read global context entries; `*` for all. */
  readonly globalContextNamespaces: readonly string[];
}

export const strictLookUpRules: LookUpRules = {
  postPaths: [],
  serviceCallNamespaces: [],
  globalContextNamespaces: [],
};

/** Creating a review has no effect: nothing is stored. */
const reviewPaths: readonly RegExp[] = [
  /^\/apis\/authorization\.k8s\.io\/v1\/(?:subjectaccessreviews|selfsubjectaccessreviews|selfsubjectrulesreviews)$/,
  /^\/apis\/authorization\.k8s\.io\/v1\/namespaces\/[^/]+\/localsubjectaccessreviews$/,
  /^\/apis\/authentication\.k8s\.io\/v1\/(?:tokenreviews|selfsubjectreviews)$/,
];

/**
 * Why a look-up is not allowed; undefined when it is. All look-ups use our ServiceAccount, so a Policy may read only its
 * own namespace, no Secrets, and may change nothing. Checked after all variables are substituted.
 */
export function lookUpRefusal(lookUp: LookUp, rules: LookUpRules): string | undefined {
  const { policyNamespace: own } = lookUp;
  switch (lookUp.kind) {
    case 'apiCall':
      return apiCallRefusal(lookUp, rules);
    case 'serviceCall':
      if (own !== undefined && !names(rules.serviceCallNamespaces, own))
        return `policies of namespace ${own} may not call services; an administrator allows it with lookUps.serviceCallNamespaces`;
      return lookUp.dryRun ? 'a service is not called with POST for a dry run' : undefined;
    case 'configMap':
      return outsideOf(own, lookUp.namespace, 'ConfigMaps');
    case 'resources':
      return outsideOf(own, lookUp.namespace ?? '', `objects of the kind ${lookUp.resource ?? lookUp.resourceKind}`);
    case 'imageData':
      return own !== undefined && namesSecrets(lookUp.credentials)
        ? 'the secrets of imageRegistryCredentials are not read for a namespaced policy'
        : undefined;
    // Entries hold what we may read, of all namespaces.
    case 'globalContext':
      return own !== undefined && !names(rules.globalContextNamespaces, own)
        ? `policies of namespace ${own} may not read global context entries; an administrator allows it with lookUps.globalContextNamespaces`
        : undefined;
    // Of the object that is judged: no policy names it.
    case 'namespace':
    case 'schema':
    case 'resourceName':
      return undefined;
  }
}

const names = (namespaces: readonly string[], own: string) => namespaces.some((name) => name === '*' || name === own);

/** Why a namespaced policy may not read a resource, in any namespace. */
export function resourceRefusal(
  { group, resource, namespaced }: { readonly group: string; readonly resource: string; readonly namespaced: boolean },
  policyNamespace: string | undefined,
): string | undefined {
  if (policyNamespace === undefined) return undefined;
  if (!namespaced) return `a namespaced policy may not look up ${resource}: they are cluster-scoped`;
  return group === '' && resource === 'secrets' ? 'a namespaced policy may not look up secrets' : undefined;
}

function outsideOf(own: string | undefined, namespace: string, what: string): string | undefined {
  if (own === undefined || own === namespace) return undefined;
  return `a policy of namespace ${own} may not look up ${what} of ${namespace === '' ? 'all namespaces' : `namespace ${namespace}`}`;
}

function namesSecrets(credentials: unknown): boolean {
  return isJsonObject(credentials) && Array.isArray(credentials['secrets']) && credentials['secrets'].length > 0;
}

function apiCallRefusal(
  { method, urlPath, policyNamespace: own, dryRun }: Extract<LookUp, { readonly kind: 'apiCall' }>,
  { postPaths }: LookUpRules,
): string | undefined {
  const [path = '', query = ''] = splitOnce(urlPath, '?');
  if (!isPlainPath(path)) return `urlPath must be an absolute path of the API server: ${urlPath.slice(0, 200)}`;
  if (own !== undefined) return ownApiCallRefusal({ method, path, query, own });
  if (method !== 'POST' || reviewPaths.some((review) => review.test(path))) return undefined;
  if (!postPaths.some((allowed) => matchesWildcard(allowed, path)))
    return `policies may not POST to ${path.slice(0, 200)}; an administrator allows it with lookUps.postPaths`;
  return dryRun ? 'a POST that may have an effect is not sent for a dry run' : undefined;
}

function ownApiCallRefusal(call: {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly query: string;
  readonly own: string;
}): string | undefined {
  const { method, path, query, own } = call;
  if (method === 'POST')
    return path === `/apis/authorization.k8s.io/v1/namespaces/${own}/localsubjectaccessreviews` && query === ''
      ? undefined
      : `a policy of namespace ${own} may POST LocalSubjectAccessReviews of its namespace only`;
  const outside = `a policy of namespace ${own} may only look up objects of its namespace, not ${path.slice(0, 200)}`;
  // Names in the API need no escapes, and a server may decode an escaped path differently.
  if (path.includes('%')) return outside;
  const [, api, ...rest] = path.split('/');
  const parts = api === 'api' && rest[0] === 'v1' ? rest.slice(1) : api === 'apis' ? rest.slice(2) : [];
  const [namespaces, namespace, resource, name, ...deeper] = parts;
  if (namespaces !== 'namespaces' || namespace !== own || parts.includes('') || deeper.length > 0) return outside;
  // Allowed: the Namespace itself, or a resource with or without a name. Subresources such as proxy and log reach further.
  if (resource === undefined) return api === 'api' && query === '' ? undefined : outside;
  if (new URLSearchParams(query).has('watch')) return 'a look-up may not watch';
  const group = api === 'api' ? '' : (rest[0] ?? '');
  return resourceRefusal({ group, resource, namespaced: true }, own) ?? (name === '' ? outside : undefined);
}

/** An absolute path without control characters, fragments or dot segments, also after decoding. */
function isPlainPath(path: string): boolean {
  let decoded: string;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    return false;
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a path must not contain control characters.
  const isForeign = (text: string) => /[\u0000-\u0020\u007f#\\]/.test(text) || /(^|\/)\.\.?(\/|\?|$)/.test(text);
  const addsSegments = decoded.split('/').length !== path.split('/').length || /[%?]/.test(decoded);
  return path.startsWith('/') && !path.startsWith('//') && !isForeign(path) && !isForeign(decoded) && !addsSegments;
}

function splitOnce(text: string, separator: string): readonly string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
