import type { IncomingMessage } from 'node:http';
import { isJsonObject } from '../../base/index.ts';
import type { Call, UserInfo } from '../operations/context.ts';
import type { DeleteOptions } from '../operations/delete.ts';
import { invalidStatus, notSupported, required } from '../schema/index.ts';
import { statusError } from '../status.ts';

interface CallInput {
  readonly request: IncomingMessage;
  readonly query: URLSearchParams;
  readonly user: UserInfo;
  /** Collected while the request is served. */
  readonly warnings: string[];
}

/** The write options from the query and headers of a request. */
export function callOf({ request, query, user, warnings }: CallInput, isApply = false): Call {
  const kind =
    isApply || request.method === 'PATCH'
      ? 'PatchOptions'
      : request.method === 'PUT'
        ? 'UpdateOptions'
        : 'CreateOptions';
  const dryRun = dryRunOf(query.getAll('dryRun'), kind);
  const validation = query.get('fieldValidation') || 'Warn';
  if (!isValidation(validation)) {
    throw invalidOptions(kind, [notSupported('fieldValidation', validation, ['Ignore', 'Strict', 'Warn'])]);
  }
  const manager = query.get('fieldManager') ?? '';
  if (manager.length > 128) throw statusError(400, 'fieldManager: Too long: may not be more than 128 bytes');
  if (isApply && manager === '') throw invalidOptions(kind, [required('fieldManager', 'is required for apply patch')]);
  return { user, dryRun, fieldManager: manager || agentName(request), fieldValidation: validation, warnings };
}

/** Without a named field manager, the user agent is used. */
function agentName(request: IncomingMessage): string {
  const agent = (request.headers['user-agent'] ?? '').split('/')[0]!.trim();
  return agent === '' ? 'unknown' : agent.slice(0, 128);
}

const isValidation = (text: string): text is Call['fieldValidation'] =>
  text === 'Ignore' || text === 'Warn' || text === 'Strict';

function dryRunOf(values: readonly string[], kind: string): boolean {
  const unknown = values.find((value) => value !== 'All');
  if (unknown !== undefined) throw invalidOptions(kind, [notSupported('dryRun', values, ['All'])]);
  return values.length > 0;
}

function invalidOptions(kind: string, errors: Parameters<typeof invalidStatus>[0]['errors']) {
  return invalidStatus({ group: 'meta.k8s.io', kind, name: '', errors });
}

const policies = ['Background', 'Foreground', 'Orphan'] as const;

/** DeleteOptions may be in the body, in the query, or both; the body wins. */
export function deleteOptionsOf(body: unknown, query: URLSearchParams): DeleteOptions & { readonly dryRun: boolean } {
  const sent = isJsonObject(body) ? body : {};
  const policy = sent['propagationPolicy'] ?? query.get('propagationPolicy') ?? undefined;
  if (policy !== undefined && !policies.some((known) => known === policy)) {
    throw invalidOptions('DeleteOptions', [notSupported('propagationPolicy', policy, [...policies])]);
  }
  const orphan = sent['orphanDependents'];
  const grace = sent['gracePeriodSeconds'] ?? query.get('gracePeriodSeconds') ?? undefined;
  const preconditions = isJsonObject(sent['preconditions']) ? sent['preconditions'] : {};
  const dryRun = Array.isArray(sent['dryRun']) ? sent['dryRun'].map(String) : query.getAll('dryRun');
  return {
    gracePeriodSeconds: grace === undefined || grace === null ? undefined : Number(grace),
    propagationPolicy: (policy as DeleteOptions['propagationPolicy']) ?? (orphan === true ? 'Orphan' : undefined),
    uid: preconditions['uid'] as string | undefined,
    resourceVersion: preconditions['resourceVersion'] as string | undefined,
    dryRun: dryRunOf(dryRun, 'DeleteOptions'),
  };
}
