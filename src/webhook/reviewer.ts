import type { LabelSelector } from '../object/index.ts';
import type { AdmissionDecision, AdmissionRequest } from './review.ts';

export interface ReviewContext {
  /** The path after the reviewer's segment: `fail`, `fail/namespace/default`. */
  readonly route: string;
  /** Whether the peer is authenticated as the API server by its client certificate; otherwise any peer may have sent it. */
  readonly authenticated: boolean;
  /** Size of the body. */
  readonly bytes: number;
  /** Aborts shortly before the timeout of the API server. Created on first access. */
  readonly signal: AbortSignal;
}

/** Handles the reviews of one path. If it throws, the review fails and the webhook's failurePolicy decides. */
export interface Reviewer {
  /** The first segment of the path. */
  readonly path: string;
  /** True, or why it is not ready. */
  ready?(): boolean | string;
  review(request: AdmissionRequest, context: ReviewContext): AdmissionDecision | Promise<AdmissionDecision>;
}

export interface WebhookRule {
  readonly operations: readonly string[];
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  readonly resources: readonly string[];
  readonly scope: 'Cluster' | 'Namespaced' | '*';
}

/** The fields of one webhook in a configuration that differ between webhooks. */
export interface WebhookEntry {
  /** Unique within its configuration; the first labels of the webhook's DNS name. */
  readonly name: string;
  /** Starts with the reviewer's segment: `/validate/fail`. */
  readonly path: string;
  readonly rules: readonly WebhookRule[];
  readonly failurePolicy: 'Fail' | 'Ignore';
  readonly timeoutSeconds: number;
  /** In addition to the configured selector: both must match. */
  readonly namespaceSelector?: LabelSelector;
  /** The webhook covers only this namespace, and counts against the namespace's share of the configuration size. */
  readonly namespace?: string | undefined;
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
  /** Equivalent if absent. */
  readonly matchPolicy?: 'Exact' | 'Equivalent';
  /** Of a mutating webhook; IfNeeded if absent. */
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded';
}

/** An entry that is not registered: the API server rejects it, or it does not fit. */
export interface RefusedEntry {
  readonly entry: WebhookEntry;
  readonly message: string;
}

/**
 * One webhook configuration. The API server calls mutating webhooks in the order of the names of their configurations,
 * so the names determine the order of features (policies, then mirroring).
 */
export interface Registration {
  /** Appended to the installation's name. */
  readonly name: string;
  readonly type: 'mutating' | 'validating';
  /** The desired entries; an empty list deletes the configuration. May use discovery. */
  entries(signal: AbortSignal): Promise<readonly WebhookEntry[]>;
  /** Calls the listener when `entries` may have changed; returns the function that unsubscribes. */
  subscribe(listener: () => void): () => void;
  /** Called after the entries, except the refused ones, are registered. */
  onRegistered?(entries: readonly WebhookEntry[], refused: readonly RefusedEntry[]): void;
  /** Called when leadership ends: from then on, others may register anything. */
  forget?(): void;
}
