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
 * An object as the store keeps it: its metadata, for selectors and owner look-ups, and its JSON. The parsed value is
 * cached only while it is in use, because a value of many small parts takes more memory than its text and slows down
 * every garbage collection. Equal field sets are stored once, as values and as texts.
 */
export class StoredEntry implements Entry {
  private constructor(
    private readonly values: EntrySources['values'],
    readonly revision: number,
    private readonly apiVersion: string,
    private readonly kind: string,
    readonly metadata: ObjectMeta,
    readonly texts: readonly string[],
    /** Offset in the last text at which the fields after the metadata begin. */
    private readonly restAt: number,
  ) {}

  /** The object with the revision as its resourceVersion. */
  static of(object: KubeObject, revision: number, { fields, values }: EntrySources): StoredEntry {
    const { apiVersion, kind, metadata, ...rest } = object;
    const { managedFields, ...own } = { ...metadata, resourceVersion: String(revision) };
    const owners = managedFields?.map((entry) => shareFields(entry, fields));
    const texts = new TextPieces();
    // In this order, so that lists can cut kind and version off the start of the text.
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

  /** Length of its text, without the shared parts. */
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

/** Joins short texts; a text that was added whole stays its own piece, because it may be shared. */
class TextPieces {
  /** Length of the piece that is being joined. */
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
