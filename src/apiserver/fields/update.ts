import { isJsonObject, type JsonObject, rfc3339 } from '../../base/index.ts';
import type { KubeObject, ManagedFieldsEntry } from '../../object/index.ts';
import { equalJson, FieldsError } from '../../schema/index.ts';
import { createdFields } from './created-fields.ts';
import { FieldSet } from './field-set.ts';
import {
  capUpdaters,
  checkManagers,
  type Manager,
  type Managers,
  makeManager,
  parseManagers,
  renderManagers,
} from './managers.ts';
import { transferChanged, type WriteContext, withoutManagedFields, withoutStripped } from './ownership.ts';

export interface UpdateOptions extends WriteContext {
  /** The stored object; absent for a create. */
  readonly before: KubeObject | undefined;
  /** The object to store, with the managed fields that the client sent, if any. */
  readonly after: KubeObject;
  /** The request's fieldManager, or the part of its user agent before the slash. */
  readonly manager: string;
  readonly subresource?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * `after` with the managed fields to store. The fields that the write changed go to its manager and are removed from
 * all others. Valid managed fields from the client replace the stored ones; `[]` or `[{}]` ends the tracking of the
 * object until the next apply.
 */
export function updateManagedFields(options: UpdateOptions): KubeObject {
  const { before, after } = options;
  const known = currentManagers(options);
  const bare = withoutManagedFields(after);
  if (known.size === 0 && before !== undefined) return bare;
  try {
    return withManagedFields(after, renderManagers(capUpdaters(recordUpdate(before, bare, known, options))));
  } catch (thrown) {
    // An object whose lists have items without identity cannot be tracked, but the write itself must not fail. The same
    // holds for an object that is nested deeper than the stack allows; a stack overflow has several error types.
    if (thrown instanceof FieldsError || isDeep(bare)) return bare;
    throw thrown;
  }
}

const trackedLevels = 1_000;

/** Called only after a failure. Iterates level by level, because recursion would fail as well. */
function isDeep(object: unknown): boolean {
  let level: readonly object[] = [object].filter(isContainer);
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > trackedLevels) return true;
    level = level.flatMap((container): unknown[] => Object.values(container)).filter(isContainer);
  }
  return false;
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

function currentManagers({ before, after, subresource }: UpdateOptions): Managers {
  const sent: unknown = after.metadata?.managedFields;
  const stored = before?.metadata?.managedFields;
  // Most clients send back what they read.
  if (!subresource && sent !== undefined && !equalJson(sent, stored)) {
    if (isReset(sent)) return new Map();
    const managers = noneIfInvalid(() => checkManagers(sent));
    if (managers.size > 0) return managers;
  }
  return noneIfInvalid(() => parseManagers(stored));
}

function isReset(entries: unknown): boolean {
  if (!Array.isArray(entries) || entries.length > 1) return false;
  return entries.length === 0 || (isJsonObject(entries[0]) && Object.keys(entries[0]).length === 0);
}

function noneIfInvalid(parse: () => Managers): Managers {
  try {
    return parse();
  } catch (thrown) {
    if (thrown instanceof FieldsError) return new Map();
    throw thrown;
  }
}

type UpdateIdentity = WriteContext & Pick<UpdateOptions, 'manager' | 'subresource' | 'now'>;

/** The managers after a write from `before` to `after`; both without managed fields. */
export function recordUpdate(
  before: KubeObject | undefined,
  after: KubeObject,
  managers: Managers,
  identity: UpdateIdentity,
): Map<string, Manager> {
  const { apiVersion, subresource = '', now } = identity;
  const { managers: result, gained } = transferTo(before, after as unknown as JsonObject, managers, identity);
  if (gained.isEmpty) return result;
  const owner = { name: identity.manager || 'unknown', operation: 'Update', apiVersion, subresource } as const;
  const { id } = makeManager(owner, gained, undefined);
  const owned = result.get(id)?.fields ?? FieldSet.empty;
  result.set(id, makeManager(owner, owned.union(gained), rfc3339(now)));
  return result;
}

/** The fields that the writer gains, and the other managers without the fields they lost. */
function transferTo(
  before: KubeObject | undefined,
  after: JsonObject,
  managers: Managers,
  identity: UpdateIdentity,
): { readonly managers: Map<string, Manager>; readonly gained: FieldSet } {
  if (before === undefined && managers.size === 0)
    return { managers: new Map(), gained: createdFields(after, identity) };
  const old = before === undefined ? {} : (withoutManagedFields(before) as unknown as JsonObject);
  const { managers: left, comparison } = transferChanged(old, after, managers, undefined, identity);
  const { modified, added } = comparison;
  return { managers: left, gained: withoutStripped(modified.union(added)) };
}

export function withManagedFields(object: KubeObject, entries: readonly ManagedFieldsEntry[] | undefined): KubeObject {
  if (entries === undefined) return withoutManagedFields(object);
  const present = object.metadata.managedFields;
  if (present?.length === entries.length && entries.every((entry, i) => entry === present[i])) return object;
  return { ...object, metadata: { ...object.metadata, managedFields: entries } };
}

/**
 * `after`, or `before` itself when they differ only in the times of their managed fields: such a write must not create
 * a new resourceVersion.
 */
export function ignoreManagedTimes(before: KubeObject, after: KubeObject): KubeObject {
  const old = before.metadata.managedFields ?? [];
  const current = after.metadata.managedFields ?? [];
  if (old.length !== current.length) return after;
  for (const [i, entry] of current.entries()) {
    const { time: _, ...rest } = entry;
    const { time: __, ...oldRest } = old[i]!;
    if (!equalJson(rest, oldRest)) return after;
  }
  return equalJson(withoutManagedFields(before), withoutManagedFields(after)) ? before : after;
}
