import { parseJson, renderJson } from '../../base/index.ts';
import type { KubeObject, ManagedFieldsEntry, ObjectMeta } from '../../object/index.ts';
import { type Entry, isAscii } from './entry.ts';
import type { RecentValues } from './recent-values.ts';
import type { SharedFields } from './shared-fields.ts';
import type { SharedMetadata } from './shared-metadata.ts';
import type { SharedTexts } from './shared-texts.ts';

export interface EntrySources {
  readonly fields: SharedFields;
  readonly metadata: SharedMetadata;
  readonly texts: SharedTexts;
  readonly values: RecentValues<StoredEntry>;
}

/**
 * An object as the store keeps it: its metadata, for selectors and owner look-ups, and its JSON. The parsed value is
 * cached only while it is in use, because a value of many small parts takes more memory than its text and slows down
 * every garbage collection. Equal field sets are stored once, as values and as texts, and so are equal parts of the metadata
 * and longer texts that objects of one template have in common.
 */
export class StoredEntry implements Entry {
  private constructor(
    private readonly values: EntrySources['values'],
    readonly revision: number,
    private readonly apiVersion: string,
    private readonly kind: string,
    readonly metadata: ObjectMeta,
    readonly texts: readonly string[],
    readonly isAscii: boolean,
    /** The texts from this one on are the fields after the metadata. */
    private readonly restAt: number,
  ) {}

  /** The object with the revision as its resourceVersion. */
  static of(object: KubeObject, revision: number, sources: EntrySources): StoredEntry {
    const { values } = sources;
    const { apiVersion, kind, metadata, ...rest } = object;
    const { managedFields, ...own } = { ...metadata, resourceVersion: String(revision) };
    sources.metadata.share(own);
    const pieces = new TextPieces();
    // In this order, so that lists can cut kind and version off the start of the text.
    pieces.add(`{"apiVersion":${renderJson(apiVersion)},"kind":${renderJson(kind)},"metadata":`);
    pieces.add(renderJson(own).slice(0, -1));
    const owners = managedFields && addOwners(pieces, managedFields, sources);
    const body = renderJson(rest);
    pieces.add(body === '{}' ? '}' : '},');
    const head = pieces.end();
    const texts = [...head, ...sources.texts.cut(body.slice(1))];
    const stamped = owners ? { ...own, managedFields: owners } : own;
    const entry = new StoredEntry(
      values,
      revision,
      apiVersion,
      kind,
      stamped,
      texts,
      texts.every(isAscii),
      head.length,
    );
    values.addWritten(entry, { apiVersion, kind, metadata: stamped, ...rest });
    return entry;
  }

  /** Length of the text that has to be parsed for its value. */
  get ownLength(): number {
    let length = 0;
    for (let i = this.restAt; i < this.texts.length; i++) length += this.texts[i]!.length;
    return length;
  }

  get object(): KubeObject {
    return this.values.get(this) ?? this.read();
  }

  private read(): KubeObject {
    const { apiVersion, kind, metadata } = this;
    const rest = parseJson(`{${this.texts.slice(this.restAt).join('')}`) as object;
    const object = { apiVersion, kind, metadata, ...rest };
    this.values.addRead(this, object);
    return object;
  }
}

/** Adds their text; answers them with what they share with those of other objects. */
function addOwners(
  texts: TextPieces,
  owners: readonly ManagedFieldsEntry[],
  { fields, metadata }: EntrySources,
): readonly ManagedFieldsEntry[] {
  let separator = ',"managedFields":[';
  const shared = owners.map((owner) => {
    const { fieldsV1, ...entry } = owner;
    const text = renderJson(entry);
    texts.add(separator);
    separator = ',';
    if (!fieldsV1) {
      texts.add(text);
      return owner;
    }
    const own = fields.share(fieldsV1);
    texts.add(text === '{}' ? '{' : `${text.slice(0, -1)},`);
    texts.add('"fieldsV1":');
    texts.addWhole(fields.textOf(own));
    texts.add('}');
    return metadata.shareEntry(owner, own, text);
  });
  texts.add(owners.length === 0 ? ',"managedFields":[]' : ']');
  return shared;
}

/** Joins short texts; a text that was added whole stays its own piece, because it may be shared. */
class TextPieces {
  private readonly done: string[] = [];
  private open: string[] = [];

  add(text: string): void {
    this.open.push(text);
  }

  addWhole(text: string): void {
    this.done.push(this.open.join(''), text);
    this.open = [];
  }

  end(): readonly string[] {
    this.done.push(this.open.join(''));
    return this.done;
  }
}
