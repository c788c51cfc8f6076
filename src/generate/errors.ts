import { SupercargoError } from '../base/index.ts';
import type { KubeError } from '../kube/index.ts';

type GenerateErrorCode =
  /** The service account lacks a permission that the rule needs. */
  | 'generate-forbidden'
  /** The target exists and is not ours. */
  | 'generate-foreign-target'
  /** The API server does not serve the kind. */
  | 'generate-unknown-kind'
  /** A namespaced policy targets something outside its namespace. */
  | 'generate-out-of-scope'
  /** The rule itself failed. */
  | 'generate-rule-failed';

export class GenerateError extends SupercargoError {
  declare readonly code: GenerateErrorCode;

  constructor(code: GenerateErrorCode, message: string, cause?: unknown) {
    super(code, message, { retry: 'backoff', ...(cause === undefined ? {} : { cause }) });
  }
}

/** Names the verb and the resource, so that the message says which permission to grant. */
export function forbidden(
  verb: string,
  resource: string,
  namespace: string | undefined,
  cause: KubeError,
): GenerateError {
  const where = namespace ? ` in namespace ${namespace}` : '';
  const message = `missing permission: cannot ${verb} ${resource}${where}; allow it to Supercargo's service account`;
  return new GenerateError('generate-forbidden', message, cause);
}

const verbs: Readonly<Record<string, string>> = {
  GET: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** The same for a forbidden look-up. Verb and resource come from its path. */
export function forbiddenCall(error: KubeError): GenerateError {
  const parts = error.path.split('/').filter((part) => part !== '');
  const group = parts[0] === 'apis' ? `.${parts[1]}` : '';
  const rest = parts.slice(parts[0] === 'apis' ? 3 : 2);
  const isInside = rest[0] === 'namespaces' && rest.length > 2;
  const [resource = '', name] = isInside ? rest.slice(2) : rest;
  const verb = error.method === 'GET' && name === undefined ? 'list' : (verbs[error.method] ?? error.method);
  return forbidden(verb, `${resource}${group}`, isInside ? rest[1] : undefined, error);
}
