import { parseJson } from '../../base/index.ts';
import type { ResourceDefinition } from '../resources/definition.ts';
import { StatusError, statusError } from '../status.ts';
import type { Entry, Store } from '../store/index.ts';
import { type Selection, selectionOf } from './selection.ts';

export interface ListRequest {
  readonly namespace: string;
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly limit: number;
  readonly continue: string;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
}

export interface ListResult {
  readonly revision: number;
  readonly entries: readonly Entry[];
  readonly continue: string;
  readonly remaining: number | undefined;
}

export function listEntries(store: Store, definition: ResourceDefinition, request: ListRequest): ListResult {
  checkOptions(request);
  const selection = selectionOf(definition, request.labelSelector, request.fieldSelector);
  const prefix = request.namespace === '' ? '' : `${request.namespace}/`;
  const token = request.continue === '' ? undefined : parseContinue(request.continue);
  const revision = revisionOf(store, request, token);
  const collection = store.collection(definition.storage);
  const all = revision === undefined ? collection.entries(prefix) : collection.entriesAt(prefix, revision);
  if (!all) throw expired(token);
  const start = token ? all.findIndex((entry) => keyOf(entry) >= token.start) : 0;
  const rest = start === -1 ? [] : start === 0 ? all : all.slice(start);
  const page = takePage(rest, selection, request.limit);
  const listRevision = revision ?? store.revision;
  return {
    revision: listRevision,
    entries: page.entries,
    continue: page.next === undefined ? '' : renderContinue({ rv: listRevision, start: page.next }),
    // With a selector the real server does not count the remaining items either: that would need a scan.
    remaining: page.next === undefined || selection.matches ? undefined : rest.length - page.entries.length,
  };
}

function takePage(
  rest: readonly Entry[],
  { matches }: Selection,
  limit: number,
): { entries: readonly Entry[]; next?: string } {
  if (limit === 0) return { entries: matches ? rest.filter(matches) : rest };
  if (!matches) {
    const next = rest[limit];
    return next ? { entries: rest.slice(0, limit), next: keyOf(next) } : { entries: rest };
  }
  const entries: Entry[] = [];
  for (const [i, entry] of rest.entries()) {
    if (!matches(entry)) continue;
    entries.push(entry);
    const next = rest[i + 1];
    if (entries.length === limit && next) return { entries, next: keyOf(next) };
  }
  return { entries };
}

/** Undefined means the current revision. */
function revisionOf(store: Store, request: ListRequest, token: ContinueToken | undefined): number | undefined {
  if (token) return token.rv === -1 || token.rv === store.revision ? undefined : token.rv;
  if (request.resourceVersion === '' || request.resourceVersion === '0') return undefined;
  const wanted = Number(request.resourceVersion);
  if (wanted > store.revision) {
    throw new StatusError({
      ...statusError(504, `Timeout: Too large resource version: ${wanted}, current: ${store.revision}`).status,
      details: {
        causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
        retryAfterSeconds: 1,
      },
    });
  }
  const isExact =
    request.resourceVersionMatch === 'Exact' || (request.limit > 0 && request.resourceVersionMatch === '');
  return isExact && wanted !== store.revision ? wanted : undefined;
}

function checkOptions({ limit, resourceVersion, resourceVersionMatch, continue: token }: ListRequest): void {
  const invalid = (message: string) =>
    statusError(422, `ListOptions.meta.k8s.io "" is invalid: ${message}`, {
      group: 'meta.k8s.io',
      kind: 'ListOptions',
    });
  if (!Number.isInteger(limit) || limit < 0) throw statusError(400, `limit must be a whole number of 0 or more`);
  if (resourceVersion !== '' && !/^\d+$/.test(resourceVersion)) {
    throw statusError(400, `invalid resource version: ${JSON.stringify(resourceVersion)} is not a number`);
  }
  if (resourceVersionMatch === '') {
    if (token !== '' && resourceVersion !== '' && resourceVersion !== '0') {
      throw statusError(400, 'specifying resource version is not allowed when using continue');
    }
    return;
  }
  if (resourceVersionMatch !== 'Exact' && resourceVersionMatch !== 'NotOlderThan') {
    throw invalid(
      `resourceVersionMatch: Unsupported value: ${JSON.stringify(resourceVersionMatch)}: supported values: "Exact", "NotOlderThan"`,
    );
  }
  if (token !== '')
    throw invalid('resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided');
  if (resourceVersion === '')
    throw invalid(
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
    );
  if (resourceVersionMatch === 'Exact' && resourceVersion === '0') {
    throw invalid('resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"');
  }
}

interface ContinueToken {
  readonly rv: number;
  readonly start: string;
}

function renderContinue(token: ContinueToken): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', ...token })).toString('base64url');
}

function parseContinue(text: string): ContinueToken {
  try {
    const token = parseJson(Buffer.from(text, 'base64url').toString()) as unknown as ContinueToken & { v: string };
    if (token.v === 'meta.k8s.io/v1' && Number.isInteger(token.rv) && typeof token.start === 'string') return token;
  } catch {
    // Reported below with other invalid tokens.
  }
  throw statusError(400, 'invalid continue token: continue key is not valid: it is not one that this server gave');
}

/** 410, with a token that continues from the same key with an inconsistent list. */
function expired(token: ContinueToken | undefined): StatusError {
  if (!token) return statusError(410, 'The resourceVersion for the provided list is too old.');
  const { status } = statusError(
    410,
    'The provided continue parameter is too old to display a consistent list result. Start a new list, or go on with the token in this answer and accept that the parts are from different moments.',
  );
  return new StatusError({ ...status, metadata: { continue: renderContinue({ rv: -1, start: token.start }) } });
}

function keyOf({ metadata }: Entry): string {
  return metadata.namespace === undefined ? metadata.name! : `${metadata.namespace}/${metadata.name}`;
}
