import type { JsonObject } from '../../base/index.ts';
import type { Schema } from '../schema/index.ts';
import { FieldSet } from './field-set.ts';
import { fieldSetOf } from './field-set-of.ts';
import type { Manager, Managers } from './managers.ts';
import type { WriteContext } from './ownership.ts';
import { removeFields } from './remove.ts';
import { withNamedFields } from './schema-fit.ts';

interface PruneOptions {
  readonly merged: JsonObject;
  /** What the applying manager owned before, in the version it spoke then. */
  readonly last: Manager;
  /** Everybody, the applying manager with what it owns now. */
  readonly managers: Managers;
  readonly own: Manager;
  readonly context: WriteContext;
}

/**
 * The merged object without what its applier owned last time, does not apply now, and nobody else owns. What hangs below
 * a dropped field without an owner of its own stays, unless the field itself goes.
 */
export function prune({ merged, last, managers, own, context }: PruneOptions): JsonObject {
  // Nothing was dropped: the usual case, and the long way round would come to the same.
  if (last.fields.isSubsetOf(own.fields)) return merged;
  const view = new View(context.schema);
  const lastNamed = view.named(last.fields);
  let managed = FieldSet.empty;
  for (const manager of managers.values()) managed = managed.union(manager.fields);

  const mergedFields = view.named(fieldSetOf(merged, context.schema));
  const withoutLast = view.without(merged, lastNamed);
  const kept = view.fieldsOf(withoutLast).union(view.named(managed));
  const withOwned = view.without(merged, mergedFields.difference(kept));
  return view.without(merged, mergedFields.difference(view.fieldsOf(withOwned)).intersection(lastNamed));
}

class View {
  constructor(private readonly schema: Schema | undefined) {}
  named(fields: FieldSet): FieldSet {
    return withNamedFields(fields, this.schema);
  }
  fieldsOf(object: JsonObject): FieldSet {
    return this.named(fieldSetOf(object, this.schema));
  }
  without(object: JsonObject, fields: FieldSet): JsonObject {
    return removeFields(object, fields, this.schema);
  }
}
