/** A parsed URL under /api or /apis. */
export interface RequestInfo {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly namespace: string;
  /** Empty for the whole collection. */
  readonly name: string;
  readonly subresource: string;
  /** The path after the subresource, for proxies and logs; usually empty. */
  readonly rest: string;
  /** The old /watch/ prefix: the same as ?watch=true. */
  readonly watchPrefix: boolean;
}

/** Undefined when the path is not a resource path (discovery, health, …). */
export function parseResourcePath(path: string): RequestInfo | undefined {
  const parts = path.split('/').filter((part) => part !== '');
  const isCore = parts[0] === 'api';
  if (!isCore && parts[0] !== 'apis') return undefined;
  const prefix = isCore ? 2 : 3;
  if (parts.length <= prefix) return undefined;
  const group = isCore ? '' : parts[1]!;
  const version = parts[prefix - 1]!;
  let rest = parts.slice(prefix).map(decode);
  const watchPrefix = rest[0] === 'watch' && rest.length > 1;
  if (watchPrefix) rest = rest.slice(1);
  // /namespaces/NAME and its status and finalize are the Namespace itself; any longer path is inside it.
  const inside = rest[0] === 'namespaces' && rest.length > 2 && !namespaceSubresources.has(rest[2]!);
  const namespace = inside ? rest[1]! : '';
  const [resource = '', name = '', subresource = '', ...others] = inside ? rest.slice(2) : rest;
  return { group, version, resource, namespace, name, subresource, rest: others.join('/'), watchPrefix };
}

const namespaceSubresources = new Set(['status', 'finalize']);

function decode(part: string): string {
  if (!part.includes('%')) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
