import { LRUCache } from 'lru-cache';
import { renderJson } from '../../base/index.ts';
import type { FieldsV1, ManagedFieldsEntry, ObjectMeta } from '../../object/index.ts';

/** What objects of one template have in common beside their field sets. */
const sharedParts = ['labels', 'annotations', 'ownerReferences'] as const;
/** A look-up of longer parts costs more than it saves: they are annotations of one object. */
const maxCharacters = 2_000;

/**
 * Stores equal parts of metadata once: the pods of one Deployment have the same labels, annotations and owner, and managers
 * that wrote within the same second. Parsed metadata is kept for every object, and small values take much memory.
 */
export class SharedMetadata {
  private readonly parts = new LRUCache<string, object>({ max: 2_000 });
  private readonly lastOf = new WeakMap<FieldsV1, { readonly text: string; readonly entry: ManagedFieldsEntry }>();

  /** The metadata itself, whose parts are replaced by equal ones: it must belong to the caller. */
  share(metadata: Partial<ObjectMeta>): void {
    for (const name of sharedParts) {
      const part = metadata[name];
      if (part !== undefined) Object.assign(metadata, { [name]: this.part(part) });
    }
  }

  /** The entry with these shared fields; the text is that of the entry without its fields. */
  shareEntry(entry: ManagedFieldsEntry, fields: FieldsV1, text: string): ManagedFieldsEntry {
    const last = this.lastOf.get(fields);
    if (last?.text === text) return last.entry;
    const own = entry.fieldsV1 === fields ? entry : { ...entry, fieldsV1: fields };
    this.lastOf.set(fields, { text, entry: own });
    return own;
  }

  private part<Part extends object>(part: Part): Part {
    const text = renderJson(part);
    if (text.length > maxCharacters) return part;
    const known = this.parts.get(text);
    // Two parts with the same text have the same type.
    if (known) return known as Part;
    this.parts.set(text, part);
    return part;
  }
}
