import type { LabelSelector } from '../object/index.ts';
import type { AdmissionDecision, AdmissionRequest } from './review.ts';

export interface ReviewContext {
  /** What follows the reviewer's own part of the path: `fail`, `fail/namespace/default`. */
  readonly route: string;
  /** Whether the peer proved to be the API server by its client certificate; anybody may have sent the review otherwise. */
  readonly authenticated: boolean;
  /** Size of what was sent. */
  readonly bytes: number;
  /** Aborts shortly before the API server gives up. Made when it is first asked for. */
  readonly signal: AbortSignal;
}

/** Answers reviews at one path. What it throws is answered as a failure: the webhook's failurePolicy then decides. */
export interface Reviewer {
  /** The first part of the path it answers at. */
  readonly path: string;
  /** True, or why it cannot answer yet. */
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

/** One webhook as it is to be registered; the rest is the same for all of them. */
export interface WebhookEntry {
  /** Unique within its configuration; a DNS name is made of it. */
  readonly name: string;
  /** With the reviewer's part in front: `/validate/fail`. */
  readonly path: string;
  readonly rules: readonly WebhookRule[];
  readonly failurePolicy: 'Fail' | 'Ignore';
  readonly timeoutSeconds: number;
  /** Beside the program's own: only namespaces that fit both are asked about. */
  readonly namespaceSelector?: LabelSelector;
  /** Asked about this namespace alone, and answered for by it: its entries share what space others leave. */
  readonly namespace?: string | undefined;
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
}

/** An entry that is not registered: the API server does not take it, or there is no space for it. */
export interface RefusedEntry {
  readonly entry: WebhookEntry;
  readonly message: string;
}

/**
 * One configuration object that is kept as `entries` says. Mutating webhooks are called in the order of their
 * configurations' names, so the order of features (policies, then mirroring) is an order of names.
 */
export interface Registration {
  /** Follows the installation's name. */
  readonly name: string;
  readonly type: 'mutating' | 'validating';
  /** What is to be registered now; none removes the configuration. May ask discovery. */
  entries(signal: AbortSignal): Promise<readonly WebhookEntry[]>;
  /** Hears when `entries` may answer something new; returns the way to stop. */
  subscribe(listener: () => void): () => void;
  /** Called after the cluster has what `entries` answered, but for those that were refused. */
  onRegistered?(entries: readonly WebhookEntry[], refused: readonly RefusedEntry[]): void;
}
