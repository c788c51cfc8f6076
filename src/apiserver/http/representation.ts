import { renderJson } from '../../base/index.ts';
import { renderApiVersion } from '../../object/index.ts';
import type { ResourceDefinition } from '../resources/definition.ts';
import { changedForm, readForm } from '../resources/read-form.ts';
import { statusError } from '../status.ts';
import { type Described, type Entry, jsonOf } from '../store/index.ts';
import { renderTable } from '../table/index.ts';
import type { TextEncoding } from './stream-text.ts';

/** The representation that the client accepts: objects, table rows, or metadata only. */
export type Representation = 'object' | 'table' | 'metadata';

export interface Negotiated {
  readonly representation: Representation;
  readonly yaml: boolean;
}

/** Parses an Accept header: the first supported entry wins. */
export function negotiate(accept: string | undefined): Negotiated {
  if (accept === undefined || accept === '') return { representation: 'object', yaml: false };
  for (const entry of accept.split(',')) {
    const [type = '', ...parameters] = entry.split(';').map((part) => part.trim());
    if (!served.has(type.toLowerCase())) continue;
    const as = parameters.find((p) => p.startsWith('as='))?.slice(3);
    const version = parameters.find((p) => p.startsWith('v='))?.slice(2);
    const yaml = type === 'application/yaml';
    if (as === undefined) return { representation: 'object', yaml };
    if (version !== undefined && version !== 'v1') continue;
    if (as === 'Table') return { representation: 'table', yaml };
    if (as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList')
      return { representation: 'metadata', yaml };
  }
  throw statusError(406, '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml');
}

const served = new Set(['application/json', 'application/yaml', 'application/*', '*/*']);

/** An entry as JSON in the requested version; the stored text itself wherever possible. */
function renderEntry(entry: Entry, definition: ResourceDefinition): string {
  const changed = changedForm(entry, definition);
  return changed ? renderJson(changed) : jsonOf(entry);
}

/** An item of a list: built-in kinds omit apiVersion and kind. */
function* renderItem(entry: Entry, definition: ResourceDefinition, head: string): Iterable<string> {
  const changed = changedForm(entry, definition);
  const [first = '', ...others] = changed ? [renderJson(changed)] : entry.texts;
  yield !definition.custom && first.startsWith(head) ? `{${first.slice(head.length)}` : first;
  yield* others;
}

/** Of entries that are sent as they are stored. */
export function encodingOf(
  entries: readonly Entry[],
  { conversion, custom }: ResourceDefinition,
  representation: Representation,
): TextEncoding {
  const isStored = representation === 'object' && !conversion && !custom;
  return isStored && entries.every(({ isAscii }) => isAscii) ? 'latin1' : 'utf8';
}

function renderMetadata({ metadata }: Described): string {
  return renderJson({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata });
}

export interface TableRequest {
  readonly now: number;
  readonly includeObject: 'Metadata' | 'Object' | 'None';
  readonly omitColumns?: boolean;
}

export function renderOne(
  entry: Entry,
  definition: ResourceDefinition,
  representation: Representation,
  table: TableRequest,
): string {
  if (representation === 'object') return renderEntry(entry, definition);
  if (representation === 'metadata') return renderMetadata(entry);
  return renderJson(tableOf([entry], definition, table, { resourceVersion: String(entry.revision) }));
}

/** The text of a list in parts, rendered on demand. */
export function* renderListParts(
  list: {
    readonly revision: number;
    readonly entries: readonly Entry[];
    readonly continue: string;
    readonly remaining: number | undefined;
  },
  definition: ResourceDefinition,
  representation: Representation,
  table: TableRequest,
): Iterable<string> {
  const metadata = {
    resourceVersion: String(list.revision),
    ...(list.continue === '' ? {} : { continue: list.continue }),
    ...(list.remaining === undefined ? {} : { remainingItemCount: list.remaining }),
  };
  if (representation === 'table') {
    yield renderJson(tableOf(list.entries, definition, table, metadata));
    return;
  }
  const isMetadata = representation === 'metadata';
  const kind = isMetadata ? 'PartialObjectMetadataList' : definition.listKind;
  const apiVersion = isMetadata ? 'meta.k8s.io/v1' : renderApiVersion(definition);
  yield `{"kind":"${kind}","apiVersion":"${apiVersion}","metadata":${renderJson(metadata)},"items":[`;
  const head = `{"apiVersion":"${apiVersion}","kind":"${definition.kind}",`;
  let separator = '';
  for (const entry of list.entries) {
    yield separator;
    if (isMetadata) yield renderMetadata(entry);
    else yield* renderItem(entry, definition, head);
    separator = ',';
  }
  yield ']}';
}

function tableOf(
  entries: readonly Entry[],
  definition: ResourceDefinition,
  { now, includeObject, omitColumns }: TableRequest,
  metadata: object,
): object {
  const objects = entries.map((entry) => readForm(entry, definition));
  const table = renderTable({
    resource: definition,
    objects,
    now,
    includeObject,
    ...(definition.custom ? { columns: definition.columns ?? [] } : {}),
  });
  return { ...table, ...(omitColumns ? { columnDefinitions: [] } : {}), metadata };
}
