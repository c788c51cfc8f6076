import { createHash } from 'node:crypto';
import { ownerLabel } from '../api/index.ts';
import { isJsonObject } from '../base/index.ts';
import { type KubeObject, parseApiVersion, validateLabelValue } from '../object/index.ts';
import { parsePolicyKey } from '../runtime/index.ts';
import type { TriggerOperation } from './trigger.ts';

/** The full origin of a generated object; label values are too short for names. */
export const originAnnotation = 'supercargo.dev/origin';
/** On a generated object: create it once for this text, even if it was deleted since. */
export const oncePerAnnotation = 'supercargo.dev/once-per';
export const policyLabel = 'generate.kyverno.io/policy-name';

export interface TriggerIdentity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** Which rule generated an object, and for which trigger. */
export interface Origin {
  /** The key of its program. */
  readonly policy: string;
  readonly rule: string;
  readonly trigger: TriggerIdentity;
  readonly operation: TriggerOperation | 'DELETE' | 'CONNECT';
  readonly synchronize: boolean;
  /** Absent when the object outlives its policy. */
  readonly goesWithPolicy?: boolean | undefined;
  /** The clone source: `apiVersion/kind/namespace/name`. */
  readonly source?: string | undefined;
}

export function triggerIdentityOf({ apiVersion, kind, metadata }: KubeObject): TriggerIdentity {
  const { namespace = '', name = '', uid = '' } = metadata;
  return { apiVersion, kind, namespace, name, uid };
}

/** A valid label value for any text, different for different texts. */
export function labelValueOf(text: string): string {
  if (validateLabelValue(text).length === 0) return text;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 8);
  const start = text.replace(/[^A-Za-z0-9_.-]/g, '-').slice(0, 54);
  return `${start.replace(/^[^A-Za-z0-9]+/, '')}-${hash}`.replace(/^-/, '');
}

interface OriginOptions {
  readonly installation: string;
  readonly origin: Origin;
}

/** The object to write: with Kyverno's labels, ours, and the origin annotation. */
export function withOrigin(object: KubeObject, { installation, origin }: OriginOptions): KubeObject {
  const { policy, rule, trigger, source } = origin;
  const { name = policy, namespace = '' } = parsePolicyKey(policy) ?? {};
  const { group, version } = parseApiVersion(trigger.apiVersion);
  const labels: Record<string, string> = {
    'app.kubernetes.io/managed-by': 'kyverno',
    [policyLabel]: name,
    'generate.kyverno.io/policy-namespace': namespace,
    'generate.kyverno.io/rule-name': rule,
    'generate.kyverno.io/trigger-version': version,
    'generate.kyverno.io/trigger-group': group,
    'generate.kyverno.io/trigger-kind': trigger.kind,
    'generate.kyverno.io/trigger-namespace': trigger.namespace,
    'generate.kyverno.io/trigger-uid': trigger.uid,
    ...(source === undefined ? {} : sourceLabels(source)),
  };
  for (const [key, value] of Object.entries(labels)) labels[key] = labelValueOf(value);
  labels[ownerLabel] = installation;
  const { metadata } = object;
  return {
    ...object,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, ...labels },
      annotations: { ...metadata.annotations, [originAnnotation]: JSON.stringify(origin) },
    },
  };
}

function sourceLabels(source: string): Readonly<Record<string, string>> {
  const [name = '', namespace = '', kind = '', version = '', group = ''] = source.split('/').reverse();
  return {
    'generate.kyverno.io/clone-source': '',
    'generate.kyverno.io/source-name': name,
    'generate.kyverno.io/source-namespace': namespace,
    'generate.kyverno.io/source-kind': kind,
    'generate.kyverno.io/source-version': version,
    'generate.kyverno.io/source-group': group,
  };
}

/**
 * Undefined for an object that is not ours or has no valid origin; it must not be changed. Anyone who can write
 * the object can write its origin, so a namespaced policy is accepted only if everything named is in its namespace.
 */
export function originOf(object: KubeObject, installation: string): Origin | undefined {
  if (object.metadata.labels?.[ownerLabel] !== installation) return undefined;
  try {
    const value: unknown = JSON.parse(object.metadata.annotations?.[originAnnotation] ?? '');
    return isOrigin(value) && isWithinPolicy(value, object) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isOrigin(value: unknown): value is Origin {
  if (!isJsonObject(value) || !isJsonObject(value['trigger'])) return false;
  const { trigger, policy, rule, source = '' } = value;
  const { apiVersion, kind, namespace, name, uid } = trigger;
  return [policy, rule, source, apiVersion, kind, namespace, name, uid].every((field) => typeof field === 'string');
}

function isWithinPolicy({ policy, trigger, source }: Origin, { metadata }: KubeObject): boolean {
  const key = parsePolicyKey(policy);
  if (!key) return false;
  const own = key.namespace;
  if (own === undefined) return true;
  const ofSource = source === undefined ? own : source.split('/').at(-2);
  return metadata.namespace === own && trigger.namespace === own && ofSource === own;
}
