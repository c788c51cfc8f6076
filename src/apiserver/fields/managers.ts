import { isJsonObject } from '../../base/index.ts';
import type { FieldsV1, ManagedFieldsEntry } from '../../object/index.ts';
import { FieldsError } from '../../schema/index.ts';
import type { FieldNode } from './field-node.ts';
import { FieldSet } from './field-set.ts';

/** One manager and its fields. `entry` is the stored form, and is still equal to it. */
export interface Manager {
  readonly id: string;
  readonly name: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string | undefined;
  readonly fields: FieldSet;
  readonly entry?: ManagedFieldsEntry;
}

/** By id: an applier is the same in every API version, an updater is not. */
export type Managers = ReadonlyMap<string, Manager>;

type ManagerIdentity = Pick<Manager, 'name' | 'operation' | 'apiVersion' | 'subresource'>;

// The order of the parts is the sort order of the real server.
const idOf = ({ name, operation, apiVersion, subresource }: ManagerIdentity): string =>
  JSON.stringify({
    manager: name || undefined,
    operation,
    apiVersion: operation === 'Apply' ? undefined : apiVersion,
    subresource: subresource || undefined,
  });

export function makeManager(identity: ManagerIdentity, fields: FieldSet, time: string | undefined): Manager {
  const { name, operation, apiVersion, subresource } = identity;
  return { id: idOf(identity), name, operation, apiVersion, subresource, time, fields };
}

export function withFields(manager: Manager, fields: FieldSet): Manager {
  if (fields === manager.fields || fields.equals(manager.fields)) return manager;
  return makeManager(manager, fields, manager.time);
}

/** A stored manager. Its fields are parsed on demand, because most writes affect few managers. */
class StoredManager implements Manager {
  readonly id: string;
  private parsed: FieldSet | undefined;
  constructor(
    readonly entry: ManagedFieldsEntry,
    identity: ManagerIdentity,
  ) {
    this.id = idOf(identity);
    this.name = identity.name;
    this.operation = identity.operation;
    this.apiVersion = identity.apiVersion;
    this.subresource = identity.subresource;
    this.time = entry.time ?? undefined;
  }
  readonly name: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string | undefined;

  get fields(): FieldSet {
    this.parsed ??= this.entry.fieldsV1 ? FieldSet.parse(this.entry.fieldsV1) : FieldSet.empty;
    return this.parsed;
  }
}

/** False only when the manager certainly owns none of `fields`; cheaper than parsing what it owns. */
export const mayOwn = ({ entry }: Manager, fields: FieldSet): boolean =>
  entry === undefined || (entry.fieldsV1 !== undefined && mayHold(entry.fieldsV1, fields.root));

function mayHold(held: FieldsV1, node: FieldNode): boolean {
  for (const [element, child] of node.children) {
    const below = held[element];
    if (below !== undefined && (child.member || mayHold(below, child))) return true;
  }
  return false;
}

/** Managers that a client sent, fully validated and normalised. */
export function checkManagers(entries: unknown): Managers {
  const managers = new Map<string, Manager>();
  for (const [id, manager] of parseManagers(entries))
    managers.set(id, makeManager(manager, manager.fields, manager.time));
  return managers;
}

/** Throws FieldsError for entries that the server does not accept; their fields are not parsed yet. */
export function parseManagers(entries: unknown): Managers {
  const managers = new Map<string, Manager>();
  if (entries === undefined || entries === null) return managers;
  if (!Array.isArray(entries)) throw invalid('managedFields must be a list');
  for (const [index, entry] of entries.entries()) {
    const manager = parseEntry(entry, index);
    managers.set(manager.id, manager);
  }
  return managers;
}

function parseEntry(entry: unknown, index: number): Manager {
  if (!isJsonObject(entry)) throw invalid(`managed fields entry ${index} is no object`);
  const { manager = '', operation, apiVersion, fieldsType, subresource = '' } = entry as ManagedFieldsEntry;
  if (operation !== 'Apply' && operation !== 'Update') throw invalid('operation must be `Apply` or `Update`');
  if (!apiVersion) throw invalid('apiVersion must not be empty');
  if (!fieldsType) throw invalid(`missing fieldsType in managed fields entry ${index}`);
  if (fieldsType !== 'FieldsV1')
    throw invalid(`invalid fieldsType ${JSON.stringify(fieldsType)} in managed fields entry ${index}`);
  return new StoredManager(entry as ManagedFieldsEntry, { name: manager, operation, apiVersion, subresource });
}

const invalid = (message: string) => new FieldsError('fields-invalid-managers', message);

/** In the server's order: appliers first, the oldest first. Undefined when there are no managers. */
export function renderManagers(managers: Managers): readonly ManagedFieldsEntry[] | undefined {
  if (managers.size === 0) return undefined;
  return [...managers.values()].sort(compareManagers).map((manager) => manager.entry ?? renderEntry(manager));
}

function renderEntry({ name, operation, apiVersion, subresource, time, fields }: Manager): ManagedFieldsEntry {
  return {
    ...(name === '' ? {} : { manager: name }),
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: fields.render(),
    ...(subresource === '' ? {} : { subresource }),
  };
}

function compareManagers(a: Manager, b: Manager): number {
  return (
    compareText(a.operation, b.operation) ||
    secondsOf(a.time) - secondsOf(b.time) ||
    compareText(a.name, b.name) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

const compareText = (a: string, b: string) => (a === b ? 0 : a < b ? -1 : 1);

const secondsOf = (time: string | undefined) => (time === undefined ? 0 : Math.floor(Date.parse(time) / 1000));

const maxUpdaters = 10;

/** Beyond ten updaters of a version the oldest are merged into one, `ancient-changes`. */
export function capUpdaters(managers: Managers): Managers {
  const updaters = [...managers.values()].filter(({ operation }) => operation === 'Update');
  if (updaters.length <= maxUpdaters) return managers;
  updaters.sort((a, b) => secondsOf(a.time) - secondsOf(b.time) || compareText(a.id, b.id));
  const kept = new Map(managers);
  const firstOfVersion = new Map<string, Manager>();
  let count = updaters.length;
  for (const updater of updaters) {
    if (count <= maxUpdaters) break;
    const first = firstOfVersion.get(updater.apiVersion);
    if (first === undefined) {
      firstOfVersion.set(updater.apiVersion, updater);
      continue;
    }
    const { apiVersion, time } = updater;
    const identity = { name: 'ancient-changes', operation: 'Update', apiVersion, subresource: '' } as const;
    const { id } = makeManager(identity, FieldSet.empty, time);
    const bucket = kept.get(id) ?? first;
    if (!kept.has(id)) kept.delete(first.id);
    kept.set(id, makeManager(identity, bucket.fields.union(updater.fields), time));
    // Deleted last, although that loses the bucket when the bucket itself is among the oldest: the real server does the
    // same.
    kept.delete(updater.id);
    count--;
  }
  return kept;
}

/** The error of managed fields from admission or a client; undefined when they are valid. */
export function managedFieldsProblem(entries: unknown): string | undefined {
  try {
    checkManagers(entries);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof FieldsError) return thrown.message;
    throw thrown;
  }
}
