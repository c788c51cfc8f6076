import type { KubeObject } from '../../object/index.ts';
import { applyDefaults } from '../schema/index.ts';
import type { Entry } from '../store/index.ts';
import type { ResourceDefinition } from './definition.ts';

interface Read {
  readonly definition: ResourceDefinition;
  /** Undefined where it is the stored one. */
  readonly object: KubeObject | undefined;
}

const reads = new WeakMap<Entry, Read>();

/**
 * A stored object as a reader of this version sees it: converted, and for custom kinds with the defaults of the schema
 * of today, which may be younger than the object.
 */
export function readForm(entry: Entry, definition: ResourceDefinition): KubeObject {
  return changedForm(entry, definition) ?? entry.object;
}

/** The read form where it is not what is stored; worked out once per entry and definition. */
export function changedForm(entry: Entry, definition: ResourceDefinition): KubeObject | undefined {
  const { conversion, custom, schema } = definition;
  if (!conversion && !custom) return undefined;
  const known = reads.get(entry);
  if (known?.definition === definition) return known.object;
  const stored = entry.object;
  const converted = conversion?.fromStored(stored) ?? stored;
  const read = custom && schema ? applyDefaults(converted, schema) : converted;
  const object = read === stored ? undefined : read;
  reads.set(entry, { definition, object });
  return object;
}
