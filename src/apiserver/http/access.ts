import { renderGroupResource } from '../../object/index.ts';
import type { UserInfo } from '../operations/context.ts';
import { statusError } from '../status.ts';
import type { RequestInfo } from './request-info.ts';

/** What a user asks for, in the terms of an authorizer: a verb on a resource, or on a path that is none. */
interface AccessRequest {
  readonly user: UserInfo;
  /** Of a path, the HTTP method in lower case. */
  readonly verb: string;
  readonly path: string;
  readonly resource?: ResourceAccess | undefined;
}

interface ResourceAccess {
  readonly group: string;
  /** With its subresource: `pods/log`. */
  readonly resource: string;
  /** Empty for all namespaces and for cluster-scoped resources. */
  readonly namespace: string;
  /** Of a list or watch, the one that its field selector names; empty for all. */
  readonly name: string;
}

/** Whether a user may do something. */
export type Authorize = (request: AccessRequest) => boolean | Promise<boolean>;

interface HttpAccess {
  readonly method: string;
  readonly path: string;
  readonly info: RequestInfo | undefined;
  readonly query: URLSearchParams;
  readonly user: UserInfo;
}

export function accessOf({ method, path, info, query, user }: HttpAccess): AccessRequest {
  if (!info) return { user, verb: method.toLowerCase(), path };
  const { group, resource, subresource, namespace, watchPrefix } = info;
  const isWatch = watchPrefix || (info.name === '' && ['true', '1'].includes(query.get('watch') ?? ''));
  const verb = verbOf(method, info.name !== '') ?? method.toLowerCase();
  const name = info.name || (verb === 'create' ? '' : selectedName(query));
  const whole = subresource === '' ? resource : `${resource}/${subresource}`;
  return {
    user,
    verb: isWatch && (verb === 'list' || verb === 'get') ? 'watch' : verb,
    path,
    resource: { group, resource: whole, namespace, name },
  };
}

const selectedName = (query: URLSearchParams) =>
  (query.get('fieldSelector') ?? '')
    .split(',')
    .map((term) => /^metadata\.name==?([^=].*)$/.exec(term)?.[1])
    .find((name) => name !== undefined) ?? '';

/** The verb of a method on an object or on a collection; undefined for other methods. */
export function verbOf(method: string, named: boolean): string | undefined {
  const verbs: Readonly<Record<string, string>> = named
    ? { GET: 'get', PUT: 'update', PATCH: 'patch', DELETE: 'delete' }
    : { GET: 'list', POST: 'create', DELETE: 'deletecollection' };
  return verbs[method];
}

/** The only paths that need no token. */
const openPaths = new Set(['/healthz', '/livez', '/readyz', '/version']);

/** Throws if the user may not. */
export async function checkAccess(request: AccessRequest, authorize: Authorize): Promise<void> {
  const { user, verb, path, resource: target } = request;
  const isAnonymous = user.groups.includes('system:unauthenticated');
  if (isAnonymous ? openPaths.has(path) : await authorize(request)) return;
  if (!target) throw statusError(403, `forbidden: User "${user.username}" cannot ${verb} path "${path}"`, {});
  const { group, resource, namespace, name } = target;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const what = `${renderGroupResource({ group, resource })}${name === '' ? '' : ` "${name}"`}`;
  const message = `${what} is forbidden: User "${user.username}" cannot ${verb} resource "${resource}" in API group "${group}" ${where}`;
  throw statusError(403, message, {
    ...(name === '' ? {} : { name }),
    ...(group === '' ? {} : { group }),
    kind: resource.split('/')[0]!,
  });
}
