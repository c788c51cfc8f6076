import type { PullSecretRef } from '../../api/index.ts';
import { renderJson } from '../../base/index.ts';
import type { LabelSelector } from '../../object/index.ts';

/**
 * Data that a rule needs in addition to the request. The caller of the engine fetches it. The namespace of the policy is
 * part of it: a namespaced policy may read less than a ClusterPolicy, and never gets an answer fetched for one.
 */
export type LookUp = LookUpSubject & {
  /** The namespace of the Policy; absent for a ClusterPolicy. */
  readonly policyNamespace?: string;
  /** The request is a dry run: the look-up must have no side effects. */
  readonly dryRun?: true;
};

export type LookUpSubject =
  | { readonly kind: 'configMap'; readonly namespace: string; readonly name: string }
  | {
      readonly kind: 'apiCall';
      readonly method: 'GET' | 'POST';
      readonly urlPath: string;
      readonly data?: Readonly<Record<string, unknown>>;
      /** Asked by a library of CEL: what does not exist is null. */
      readonly asLibrary?: true;
    }
  | {
      readonly kind: 'serviceCall';
      readonly method: 'GET' | 'POST';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly caBundle?: string;
      readonly data?: unknown;
      /** Asked by a library of CEL: the answer tells the status, whatever it is. */
      readonly asLibrary?: true;
    }
  | {
      readonly kind: 'imageData';
      readonly reference: string;
      readonly credentials?: unknown;
      /** The pull secrets that the kubelet would use; added by callers that know the Pod. */
      readonly pullSecrets?: readonly PullSecretRef[];
    }
  | { readonly kind: 'globalContext'; readonly name: string; readonly projection?: string; readonly asLibrary?: true }
  /** A Namespace as expressions see it, for objects in it; null where it does not exist. */
  | { readonly kind: 'namespace'; readonly name: string }
  /** The schema of a kind that is not built in; null where nobody knows it. */
  | { readonly kind: 'schema'; readonly apiVersion: string; readonly resourceKind: string }
  /** The plural of a kind. */
  | { readonly kind: 'resourceName'; readonly apiVersion: string; readonly resourceKind: string }
  | {
      readonly kind: 'resources';
      readonly apiVersion: string;
      /** Empty where `resource` is given. */
      readonly resourceKind: string;
      /** The plural, instead of the kind. */
      readonly resource?: string;
      readonly namespace?: string;
      readonly name?: string;
      readonly selector?: LabelSelector;
    };

/** The answer to a look-up; a failure is also an answer. */
export type LookUpAnswer =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly message: string };

/** The answers that are known, by `lookUpKey`; a map is one. */
export interface Known {
  get(key: string, lookUp: LookUp): LookUpAnswer | undefined;
}

/** Equal look-ups have equal keys. */
export function lookUpKey(lookUp: LookUp): string {
  if (lookUp.kind === 'configMap') {
    // The most frequent kind. The lengths tell where each text ends, whatever is in it.
    const { dryRun = false, name, namespace, policyNamespace } = lookUp;
    return `configMap ${dryRun} ${namespace.length} ${policyNamespace?.length} ${namespace}${policyNamespace ?? ''}${name}`;
  }
  return renderJson(sorted(lookUp));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, field]) => [key, sorted(field)]),
  );
}

/**
 * Thrown when answers are not known yet. Not an error: the rule is suspended, and run again when they are known.
 * JMESPath passes it on, like everything that a scope throws. It has no stack trace, which takes longer than the rule.
 */
export class Need extends Error {
  constructor(readonly lookUps: readonly LookUp[]) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super('a look-up is needed');
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'Need';
  }
}

/** The policy's namespace and the answers that are known. */
export interface LookUpContext {
  readonly known: Known;
  readonly policyNamespace: string;
  readonly dryRun?: boolean | undefined;
}

export function askFor(context: LookUpContext, subject: LookUpSubject): LookUpAnswer {
  const { answer, lookUp } = findAnswer(context, subject);
  if (answer === undefined) throw new Need([lookUp]);
  return answer;
}

/** The answer if it is known, and the look-up that gives it. */
export function findAnswer(
  { known, policyNamespace, dryRun }: LookUpContext,
  subject: LookUpSubject,
): { readonly lookUp: LookUp; readonly answer: LookUpAnswer | undefined } {
  const lookUp: LookUp = {
    ...subject,
    ...(policyNamespace === '' ? {} : { policyNamespace }),
    ...(dryRun && 'method' in subject && subject.method === 'POST' ? { dryRun: true } : {}),
  };
  return { lookUp, answer: known.get(lookUpKey(lookUp), lookUp) };
}
