import { SupercargoError } from '../base/index.ts';
import type { KubeError } from '../kube/index.ts';

export type GenerateErrorCode =
  /** The service account may not do what a rule needs. */
  | 'generate-forbidden'
  /** The target is there and belongs to somebody else. */
  | 'generate-foreign-target'
  /** The server does not have the kind. */
  | 'generate-unknown-kind'
  /** A namespaced policy wants something outside its namespace. */
  | 'generate-out-of-scope'
  /** The rule itself failed. */
  | 'generate-rule-failed';

export class GenerateError extends SupercargoError {
  declare readonly code: GenerateErrorCode;

  constructor(code: GenerateErrorCode, message: string, cause?: unknown) {
    super(code, message, { retry: 'backoff', ...(cause === undefined ? {} : { cause }) });
  }
}

/** Names the verb and the resource, so that whoever reads it knows which permission to give. */
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

/** The same for a refused look-up, whose verb and resource are in its path. */
export function forbiddenCall(error: KubeError): GenerateError {
  const parts = error.path.split('/').filter((part) => part !== '');
  const group = parts[0] === 'apis' ? `.${parts[1]}` : '';
  const rest = parts.slice(parts[0] === 'apis' ? 3 : 2);
  const isInside = rest[0] === 'namespaces' && rest.length > 2;
  const [resource = '', name] = isInside ? rest.slice(2) : rest;
  const verb = error.method === 'GET' && name === undefined ? 'list' : (verbs[error.method] ?? error.method);
  return forbidden(verb, `${resource}${group}`, isInside ? rest[1] : undefined, error);
}
