import type { PullSecretRef } from '../../api/index.ts';
import { renderJson } from '../../base/index.ts';
import type { LabelSelector } from '../../object/index.ts';

/**
 * Something a rule must know that the request does not tell. The one who runs the engine fetches it. Who asks is part of
 * it: a namespaced policy may see less than a ClusterPolicy, and never gets an answer that was fetched for one.
 */
export type LookUp = LookUpSubject & {
  /** The namespace of the Policy that asks; absent for a ClusterPolicy. */
  readonly policyNamespace?: string;
  /** The request is a dry run: nothing with an effect may be done for it. */
  readonly dryRun?: true;
};

export type LookUpSubject =
  | { readonly kind: 'configMap'; readonly namespace: string; readonly name: string }
  | {
      readonly kind: 'apiCall';
      readonly method: 'GET' | 'POST';
      readonly urlPath: string;
      readonly data?: Readonly<Record<string, unknown>>;
    }
  | {
      readonly kind: 'serviceCall';
      readonly method: 'GET' | 'POST';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly caBundle?: string;
      readonly data?: Readonly<Record<string, unknown>>;
    }
  | {
      readonly kind: 'imageData';
      readonly reference: string;
      readonly credentials?: unknown;
      /** Where the kubelet would look for credentials; added by whoever knows the Pod. */
      readonly pullSecrets?: readonly PullSecretRef[];
    }
  | { readonly kind: 'globalContext'; readonly name: string; readonly projection?: string }
  | {
      readonly kind: 'resources';
      readonly apiVersion: string;
      readonly resourceKind: string;
      readonly namespace?: string;
      readonly name?: string;
      readonly selector?: LabelSelector;
    };

/** What a look-up brought; a failure is an answer like any other. */
export type LookUpAnswer =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly message: string };

/** The answers so far, by `lookUpKey`. */
export type Known = ReadonlyMap<string, LookUpAnswer>;

/** The same look-up always has the same key. */
export function lookUpKey(lookUp: LookUp): string {
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
 * Thrown through an evaluation to its rule when an answer is not there yet. Not an error: the rule is suspended and
 * run again when the answer is known. JMESPath lets it pass, as it lets everything pass that a scope throws.
 */
export class Need extends Error {
  constructor(readonly lookUp: LookUp) {
    super('a look-up is needed');
    this.name = 'Need';
  }
}

/** Who asks, and what is known already. */
export interface LookUpContext {
  readonly known: Known;
  readonly policyNamespace: string;
  readonly dryRun?: boolean | undefined;
}

export function askFor({ known, policyNamespace, dryRun }: LookUpContext, subject: LookUpSubject): LookUpAnswer {
  const lookUp: LookUp = {
    ...subject,
    ...(policyNamespace === '' ? {} : { policyNamespace }),
    ...(dryRun && 'method' in subject && subject.method === 'POST' ? { dryRun: true } : {}),
  };
  const answer = known.get(lookUpKey(lookUp));
  if (answer === undefined) throw new Need(lookUp);
  return answer;
}
