import { parseJson, renderJson } from '../../base/index.ts';
import type { KubeObject, ManagedFieldsEntry, ObjectMeta } from '../../object/index.ts';
import type { Entry } from './entry.ts';
import type { RecentValues } from './recent-values.ts';
import type { SharedFields } from './shared-fields.ts';

export interface EntrySources {
  readonly fields: SharedFields;
  readonly values: RecentValues<StoredEntry>;
}

/**
 * An object as the store keeps it: its metadata, which selectors and owners are looked up in, and its JSON. As a value
 * it is kept only while it is in use, for a value of many small parts weighs more than its text and costs every
 * garbage collection. Field sets are kept once for all objects that have the same, as values and as texts.
 */
export class StoredEntry implements Entry {
  private constructor(
    private readonly values: EntrySources['values'],
    readonly revision: number,
    private readonly apiVersion: string,
    private readonly kind: string,
    readonly metadata: ObjectMeta,
    readonly texts: readonly string[],
    /** Where in the last text the fields after the metadata begin. */
    private readonly restAt: number,
  ) {}

  /** The object with the revision as its resourceVersion. */
  static of(object: KubeObject, revision: number, { fields, values }: EntrySources): StoredEntry {
    const { apiVersion, kind, metadata, ...rest } = object;
    const { managedFields, ...own } = { ...metadata, resourceVersion: String(revision) };
    const owners = managedFields?.map((entry) => shareFields(entry, fields));
    const texts = new TextPieces();
    // In this order, so that lists can cut kind and version off the front of the text.
    texts.add(`{"apiVersion":${renderJson(apiVersion)},"kind":${renderJson(kind)},"metadata":`);
    texts.add(renderJson(own).slice(0, -1));
    if (owners) addOwners(texts, owners, fields);
    texts.add('}');
    const body = renderJson(rest);
    if (body !== '{}') texts.add(',');
    const restAt = texts.length;
    texts.add(body.slice(1));
    const stamped = owners ? { ...own, managedFields: owners } : own;
    const entry = new StoredEntry(values, revision, apiVersion, kind, stamped, texts.end(), restAt);
    values.addWritten(entry, { apiVersion, kind, metadata: stamped, ...rest });
    return entry;
  }

  /** Of its text, without what it shares with others. */
  get ownLength(): number {
    return this.texts[0]!.length + this.texts.at(-1)!.length;
  }

  get object(): KubeObject {
    return this.values.get(this) ?? this.read();
  }

  private read(): KubeObject {
    const { apiVersion, kind, metadata } = this;
    const rest = parseJson(`{${this.texts.at(-1)!.slice(this.restAt)}`) as object;
    const object = { apiVersion, kind, metadata, ...rest };
    this.values.addRead(this, object);
    return object;
  }
}

function shareFields(entry: ManagedFieldsEntry, fields: SharedFields): ManagedFieldsEntry {
  if (!entry.fieldsV1) return entry;
  const shared = fields.share(entry.fieldsV1);
  return shared === entry.fieldsV1 ? entry : { ...entry, fieldsV1: shared };
}

function addOwners(texts: TextPieces, owners: readonly ManagedFieldsEntry[], fields: SharedFields): void {
  let separator = ',"managedFields":[';
  for (const { fieldsV1, ...entry } of owners) {
    const text = renderJson(entry);
    texts.add(separator);
    if (fieldsV1) {
      texts.add(text === '{}' ? '{' : `${text.slice(0, -1)},`);
      texts.add('"fieldsV1":');
      texts.addWhole(fields.textOf(fieldsV1));
      texts.add('}');
    } else texts.add(text);
    separator = ',';
  }
  texts.add(owners.length === 0 ? ',"managedFields":[]' : ']');
}

/** Joins short texts as they come; what was added whole stays a piece of its own, which others may hold too. */
class TextPieces {
  /** Of the piece that is being joined. */
  length = 0;
  private readonly done: string[] = [];
  private open: string[] = [];

  add(text: string): void {
    this.open.push(text);
    this.length += text.length;
  }

  addWhole(text: string): void {
    this.done.push(this.open.join(''), text);
    this.open = [];
    this.length = 0;
  }

  end(): readonly string[] {
    this.done.push(this.open.join(''));
    return this.done;
  }
}
