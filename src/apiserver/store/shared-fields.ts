import { LRUCache } from 'lru-cache';
import { renderJson } from '../../base/index.ts';
import type { FieldsV1 } from '../../object/index.ts';

/**
 * Stores each distinct field set once. Field sets are nearly half of a pod's JSON, and objects of one template have
 * equal ones: ten thousand pods of one Deployment share a single tree and its text.
 */
export class SharedFields {
  private readonly byText = new LRUCache<string, FieldsV1>({ max: 1_000 });
  private readonly texts = new WeakMap<FieldsV1, string>();

  /** The shared object for these fields. It is never changed in place. */
  share(fields: FieldsV1): FieldsV1 {
    if (this.texts.has(fields)) return fields;
    const text = renderJson(fields);
    const known = this.byText.get(text);
    if (known) return known;
    this.byText.set(text, fields);
    this.texts.set(fields, text);
    return fields;
  }

  /** The JSON of shared fields, stored once. */
  textOf(fields: FieldsV1): string {
    return this.texts.get(fields) ?? renderJson(fields);
  }
}
