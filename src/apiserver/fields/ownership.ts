import type { JsonObject } from '../../base/index.ts';
import type { KubeObject } from '../../object/index.ts';
import type { Schema } from '../schema/index.ts';
import { type Comparison, compare, withoutFields } from './compare.ts';
import type { Conflict } from './conflict.ts';
import { FieldSet } from './field-set.ts';
import { type Manager, type Managers, mayOwn, withFields } from './managers.ts';
import { fitToSchema } from './schema-fit.ts';

/** An object in another version of its kind, with that version's schema. */
interface Converted {
  readonly object: JsonObject;
  readonly schema: Schema | undefined;
}

/**
 * Converts an object to another version, for managers that wrote in that version; undefined when the version is no
 * longer served, and such managers are dropped. Without a converter all versions are treated as equal, as they are for
 * custom resources without a conversion webhook and with the same schema.
 */
type Convert = (object: JsonObject, apiVersion: string) => Converted | undefined;

/** What a write is, as far as ownership is concerned. */
export interface WriteContext {
  readonly apiVersion: string;
  readonly schema: Schema | undefined;
  /** Fields that this way of writing cannot change; they are nobody's gain or loss. */
  readonly ignored?: FieldSet | undefined;
  readonly convert?: Convert | undefined;
}

/** Never owned: they name the object or belong to the server. */
const strippedFields = FieldSet.ofFields(
  ['apiVersion'],
  ['kind'],
  ['metadata'],
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((name) => ['metadata', name]),
);

export const withoutStripped = (fields: FieldSet): FieldSet => fields.difference(strippedFields);

/** The managers in the terms of today's schemas; those of versions that are gone are left out. */
export function fitManagers(managers: Managers, live: JsonObject, context: WriteContext): Map<string, Manager> {
  const result = new Map<string, Manager>();
  for (const [id, manager] of managers) {
    const view = inVersion(live, manager.apiVersion, context);
    if (view !== undefined) result.set(id, withFields(manager, fitToSchema(manager.fields, view.schema)));
  }
  return result;
}

function inVersion(object: JsonObject, apiVersion: string, context: WriteContext): Converted | undefined {
  if (apiVersion === context.apiVersion || context.convert === undefined) return { object, schema: context.schema };
  return context.convert(object, apiVersion);
}

interface Transfer {
  /** The managers after they lost what was changed or removed. */
  readonly managers: Map<string, Manager>;
  readonly comparison: Comparison;
  /** What others lost because its value changed. */
  readonly conflicts: readonly Conflict[];
}

/** Takes the fields that differ between two states of an object from all managers but `self`. */
export function transferChanged(
  before: JsonObject,
  after: JsonObject,
  managers: Managers,
  self: string | undefined,
  context: WriteContext,
): Transfer {
  const changesFor = changesByVersion(before, after, context);
  const comparison = changesFor(context.apiVersion)!.comparison;
  const conflicts: Conflict[] = [];
  const result = new Map<string, Manager>();
  for (const [id, manager] of managers) {
    const changes = id === self ? undefined : changesFor(manager.apiVersion);
    if (id !== self && changes === undefined) continue;
    if (changes === undefined || !mayOwn(manager, changes.all)) {
      result.set(id, manager);
      continue;
    }
    const fields = fitToSchema(manager.fields, changes.schema);
    const lost = fields.intersection(changes.written);
    if (!lost.isEmpty) conflicts.push({ manager, fields: lost });
    const rest = fields.difference(lost).difference(changes.comparison.removed);
    if (!rest.isEmpty) result.set(id, withFields(manager, rest));
  }
  return { managers: result, comparison, conflicts };
}

interface Changes {
  readonly comparison: Comparison;
  readonly written: FieldSet;
  readonly all: FieldSet;
  readonly schema: Schema | undefined;
}

/** What changed, as the managers of each version see it; undefined for versions that are gone. */
function changesByVersion(before: JsonObject, after: JsonObject, context: WriteContext) {
  const known = new Map<string, Changes | undefined>();
  const make = (apiVersion: string): Changes | undefined => {
    const old = inVersion(before, apiVersion, context);
    const current = inVersion(after, apiVersion, context);
    if (old === undefined || current === undefined) return undefined;
    const comparison = withoutFields(compare(old.object, current.object, current.schema), context.ignored);
    const written = comparison.modified.union(comparison.added);
    return { comparison, written, all: written.union(comparison.removed), schema: current.schema };
  };
  return (apiVersion: string): Changes | undefined => {
    const version = context.convert === undefined ? context.apiVersion : apiVersion;
    if (!known.has(version)) known.set(version, make(version));
    return known.get(version);
  };
}

/** The object without its managed fields, which are nobody's. */
export function withoutManagedFields<T extends KubeObject>(object: T): T {
  const metadata = object.metadata;
  if (metadata === undefined || !('managedFields' in metadata)) return object;
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: rest };
}
