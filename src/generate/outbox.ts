import { createHash } from 'node:crypto';
import { isJsonObject, parseJson, renderJson } from '../base/index.ts';
import type { GroupVersionKind, GroupVersionResource, KubeObject } from '../object/index.ts';
import type { PolicyOperation, RequestInfo } from '../policy/index.ts';
import { digestOf } from './writes.ts';

/** An admitted request. */
export interface AdmittedRequest {
  readonly uid: string;
  readonly operation: PolicyOperation;
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly object?: KubeObject | undefined;
  readonly oldObject?: KubeObject | undefined;
  readonly namespaceLabels: Readonly<Record<string, string>>;
  readonly info: RequestInfo;
  readonly dryRun: boolean;
  /** Which policies to run: those of this namespace, or all ClusterPolicies. */
  readonly policyNamespace?: string | undefined;
  /** Whether the API server is known to be the sender. Otherwise only what reads of the API server confirm is used. */
  readonly isTrusted: boolean;
}

/** Takes a review. Await it before answering: it reads the state before the request. */
export type CollectReview = (request: AdmittedRequest, signal: AbortSignal) => Promise<void>;

/** A request on which policies with admission-bound rules act. */
export interface OutboxEntry {
  readonly id: string;
  readonly policies: readonly string[];
  readonly at: number;
  readonly request: Omit<AdmittedRequest, 'dryRun' | 'namespaceLabels' | 'policyNamespace'>;
}

export const maxOutboxBytes = 512 * 1024;

/** The request without unneeded data. A repeated request gets the same id. */
export function outboxEntryOf(
  { dryRun: _, namespaceLabels: __, policyNamespace: ___, ...request }: AdmittedRequest,
  policies: readonly string[],
  at: number,
): OutboxEntry {
  const slim = {
    ...request,
    ...(request.object ? { object: request.isTrusted ? withoutManagers(request.object) : nameOf(request.object) } : {}),
    ...(request.oldObject ? { oldObject: withoutManagers(request.oldObject) } : {}),
  };
  const { operation, kind, subresource, namespace, name, object, oldObject, info } = request;
  const content = [object && digestOf(object), oldObject && digestOf(oldObject)];
  const identity = [operation, kind.group, kind.kind, subresource, namespace, name, info.userInfo.username, policies];
  const id = createHash('sha256')
    .update(JSON.stringify([identity, content]))
    .digest('hex')
    .slice(0, 24);
  return { id, policies, at, request: slim };
}

function withoutManagers(object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Drop the sender's data where the stored object is used instead. */
function nameOf({ apiVersion, kind, metadata: { name = '', namespace = '', uid = '' } }: KubeObject): KubeObject {
  return { apiVersion, kind, metadata: { name, uid, ...(namespace === '' ? {} : { namespace }) } };
}

/** Entries of one replica: unique by id, and within the size limit. */
export class Outbox {
  private readonly entries = new Map<string, { readonly entry: OutboxEntry; readonly bytes: number }>();
  private bytes = 0;

  constructor(private readonly maxBytes = maxOutboxBytes) {}

  get size(): number {
    return this.entries.size;
  }

  /** False when it does not fit. */
  add(entry: OutboxEntry): boolean {
    if (this.entries.has(entry.id)) return true;
    const bytes = Buffer.byteLength(renderJson(entry)) + 4;
    if (this.bytes + bytes > this.maxBytes) return false;
    this.entries.set(entry.id, { entry, bytes });
    this.bytes += bytes;
    return true;
  }

  has(id: string): boolean {
    return this.entries.has(id);
  }

  remove(id: string): void {
    this.bytes -= this.entries.get(id)?.bytes ?? 0;
    this.entries.delete(id);
  }

  list(): readonly OutboxEntry[] {
    return [...this.entries.values()].map(({ entry }) => entry);
  }
}

export function renderOutbox(entries: readonly OutboxEntry[]): string {
  return renderJson(entries);
}

/** Drops invalid entries: leaders of other versions read the outbox too. */
export function parseOutbox(text: string | undefined): readonly OutboxEntry[] {
  try {
    const value: unknown = parseJson(text ?? '[]');
    if (!Array.isArray(value)) return [];
    return value.filter(
      (entry) => isJsonObject(entry) && typeof entry['id'] === 'string' && isJsonObject(entry['request']),
    ) as unknown as readonly OutboxEntry[];
  } catch {
    return [];
  }
}

/**
 * Whether the request was carried out, according to the stored object (undefined when it does not exist). `unclear` means
 * check again: storage follows admission with a delay.
 */
export function wasPersisted(
  { operation, subresource, object, oldObject }: OutboxEntry['request'],
  current: KubeObject | undefined,
): 'yes' | 'unclear' {
  if (operation === 'CONNECT') return 'yes';
  if (operation === 'DELETE') {
    const isGone = current === undefined || current.metadata.uid !== oldObject?.metadata.uid;
    return isGone || current.metadata.deletionTimestamp !== undefined ? 'yes' : 'unclear';
  }
  if (current === undefined) return 'unclear';
  if (subresource !== '') return 'yes';
  if (operation === 'CREATE') {
    const uid = object?.metadata.uid;
    return uid === undefined || uid === current.metadata.uid ? 'yes' : 'unclear';
  }
  return current.metadata.resourceVersion === oldObject?.metadata.resourceVersion ? 'unclear' : 'yes';
}
