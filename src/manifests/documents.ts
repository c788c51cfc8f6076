import { isJsonObject, type JsonObject, parseYamlDocuments, UsageError } from '../base/index.ts';
import type { KubeObject } from '../object/index.ts';
import type { Files } from './files.ts';

/** A document with its file and line, for messages. */
export interface Written<T> {
  readonly value: T;
  readonly file: string;
  readonly line: number;
  /** For an item of a list: its path in the document. */
  readonly at?: readonly string[];
}

export const shownFile = (file: string) => (file === '-' ? 'standard input' : file);

export const placeOf = ({ file, line }: { file: string; line: number }) => `${shownFile(file)}:${line}`;

/** Every document of a file that is a map. */
export function readDocuments(files: Files, file: string): readonly Written<JsonObject>[] {
  return parseDocuments({ file, line: 1, text: files.read(file) });
}

function parseDocuments(part: { file: string; line: number; text: string }): readonly Written<JsonObject>[] {
  const { file } = part;
  return parseYamlDocuments(part.text, { file: shownFile(file), firstLine: part.line }).map(({ value, line }) => {
    if (!isJsonObject(value)) refuseObject({ file, line }, 'a map is expected here');
    return { value, file, line };
  });
}

/** Every Kubernetes object of a file; items of lists are returned one by one. */
export function readObjects(files: Files, file: string): readonly Written<KubeObject>[] {
  return parseObjects({ file, line: 1, text: files.read(file) });
}

/** Every Kubernetes object of a part of a file. */
export function parseObjects(part: {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}): readonly Written<KubeObject>[] {
  const objects: Written<KubeObject>[] = [];
  for (const document of parseDocuments(part)) unroll(document, objects);
  return objects;
}

/** True if the document has apiVersion and kind. */
export const isTyped = ({ apiVersion, kind }: JsonObject) =>
  typeof kind === 'string' && kind !== '' && typeof apiVersion === 'string' && apiVersion !== '';

export function unroll(written: Written<JsonObject>, objects: Written<KubeObject>[]): void {
  const { value, file, line, at = [] } = written;
  if (!isTyped(value)) refuseObject(written, 'apiVersion and kind are missing');
  const { apiVersion, kind, items } = value as JsonObject & { readonly apiVersion: string; readonly kind: string };
  if (kind.endsWith('List') && Array.isArray(items)) {
    for (const [index, item] of items.entries()) {
      if (!isJsonObject(item)) refuseObject(written, 'an item of the list is not a map');
      // Items of a typed list may omit apiVersion and kind.
      const typed =
        kind === 'List' ? item : { apiVersion: item['apiVersion'] ?? apiVersion, kind: kind.slice(0, -4), ...item };
      unroll({ value: typed, file, line, at: [...at, 'items', String(index)] }, objects);
    }
    return;
  }
  const metadata = value['metadata'] ?? {};
  if (!isJsonObject(metadata)) refuseObject(written, 'metadata is not a map');
  const object = value['metadata'] === metadata ? value : { ...value, metadata };
  objects.push({ value: object as unknown as KubeObject, file, line, ...(at.length > 0 ? { at } : {}) });
}

function refuseObject(written: { readonly file: string; readonly line: number }, what: string): never {
  throw new UsageError('offline-not-an-object', `${placeOf(written)}:1: ${what}`);
}
