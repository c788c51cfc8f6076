import { type JsonObject, rfc3339 } from '../../base/index.ts';
import { gvkOf, type KubeObject } from '../../object/index.ts';
import { checkApplied, equalJson, FieldsError, mergeApplied } from '../../schema/index.ts';
import { StatusError, statusError } from '../status.ts';
import { type Conflict, conflictError } from './conflict.ts';
import { FieldSet } from './field-set.ts';
import { fieldSetOf } from './field-set-of.ts';
import { allowedByLastApplied, withLastApplied } from './last-applied.ts';
import { type Manager, type Managers, makeManager, parseManagers, renderManagers } from './managers.ts';
import { fitManagers, transferChanged, type WriteContext, withoutManagedFields, withoutStripped } from './ownership.ts';
import { prune } from './prune.ts';
import { recordUpdate, withManagedFields } from './update.ts';

export interface ApplyOptions extends WriteContext {
  /** The stored object; absent when the apply creates it. */
  readonly live: KubeObject | undefined;
  /** The applied configuration: only the fields that the client sets. */
  readonly applied: KubeObject;
  readonly manager: string;
  readonly force?: boolean | undefined;
  readonly subresource?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Merges the applied configuration into the live object, removes the fields that the manager has dropped, and sets the
 * managed fields; without defaults. An apply that changes nothing returns `live` itself. Throws StatusError: 409 with a
 * cause per field when other managers own what would change and `force` is not set.
 */
export function applyObject(options: ApplyOptions): KubeObject {
  checkRequest(options);
  const { live, applied } = options;
  const result = withStatusErrors(() => resolve(options));
  if ('conflicts' in result) throw conflictError(result.conflicts);
  const managers = renderManagers(result.managers);
  const object = withManagedFields(result.object, managers);
  const stored = options.manager === 'kubectl' ? withLastApplied(object, applied) : object;
  return live !== undefined && equalJson(stored, live) ? live : stored;
}

type ApplyResult =
  | { readonly object: KubeObject; readonly managers: Managers }
  | { readonly conflicts: readonly Conflict[] };

/** kubectl may take over fields of its own client-side applies: those are not conflicts. */
function resolve(options: ApplyOptions): ApplyResult {
  const result = attempt(options, options.force === true);
  if (!('conflicts' in result) || options.manager !== 'kubectl' || options.live === undefined) return result;
  const allowed = allowedByLastApplied(options.live, options);
  if (allowed === undefined) return result;
  const conflicts = result.conflicts
    .map(({ manager, fields }) => ({ manager, fields: fields.difference(allowed) }))
    .filter(({ fields }) => !fields.isEmpty);
  return conflicts.length > 0 ? { conflicts } : attempt(options, true);
}

function attempt(options: ApplyOptions, force: boolean): ApplyResult {
  const { live, applied, apiVersion, schema, now, ignored = FieldSet.empty } = options;
  const liveBare = (live === undefined ? {} : withoutManagedFields(live)) as unknown as JsonObject;
  const config = applied as unknown as JsonObject;
  const known = fitManagers(knownManagers(options), liveBare, options);

  const identity = {
    name: options.manager,
    operation: 'Apply',
    apiVersion,
    subresource: options.subresource ?? '',
  } as const;
  const fields = fieldSetOf(config, schema).recursiveDifference(ignored);
  const fresh = makeManager(identity, fields, undefined);
  const last = known.get(fresh.id);
  const managers = new Map<string, Manager>(known).set(fresh.id, fresh);

  const merged = mergeApplied(liveBare, config, schema);
  const next = last === undefined ? merged : prune({ merged, last, managers, own: fresh, context: options });
  const transfer = transferChanged(liveBare, next, managers, fresh.id, options);
  if (!force && transfer.conflicts.length > 0) return { conflicts: transfer.conflicts };

  const isChanged = next !== liveBare && !equalJson(next, liveBare);
  const own = withoutStripped(fields);
  const time = isChanged ? rfc3339(now) : last?.time;
  transfer.managers.delete(fresh.id);
  if (!own.isEmpty) transfer.managers.set(fresh.id, keepEntry(last, makeManager(identity, own, time)));
  const object = isChanged || live === undefined ? (next as unknown as KubeObject) : live;
  return { object, managers: transfer.managers };
}

/** Returns the stored entry itself when it is unchanged. */
function keepEntry(last: Manager | undefined, current: Manager): Manager {
  const isSame = last?.entry && last.time === current.time && last.apiVersion === current.apiVersion;
  return isSame && last.fields.equals(current.fields) ? last : current;
}

/** Fields that were not tracked so far belong to `before-first-apply`. */
function knownManagers(options: ApplyOptions): Managers {
  const { live } = options;
  if (live === undefined) return new Map();
  const managers = parseManagers(live.metadata.managedFields);
  if (managers.size > 0) return managers;
  return recordUpdate(undefined, withoutManagedFields(live), managers, { ...options, manager: 'before-first-apply' });
}

function checkRequest({ live, applied, apiVersion, schema }: ApplyOptions): void {
  const { group, version, kind } = gvkOf(applied);
  const type = `${group}/${version}, Kind=${kind}`;
  if (applied.apiVersion !== apiVersion || (live !== undefined && live.kind !== kind))
    throw statusError(400, `invalid object type: ${type}`);
  if (applied.metadata?.managedFields !== undefined && applied.metadata.managedFields !== null)
    throw statusError(400, 'metadata.managedFields must be nil');
  const problem = checkApplied(applied, schema);
  if (problem === undefined) return;
  const { namespace = '', name = '' } = applied.metadata ?? {};
  throw internalError(`failed to create typed patch object (${namespace}/${name}; ${type}): ${problem}`);
}

/** Objects that cannot be tracked fail the apply. */
function withStatusErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    throw thrown instanceof FieldsError ? internalError(thrown.message) : thrown;
  }
}

/** The real server gives these errors no reason. */
const internalError = (message: string) =>
  new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });
