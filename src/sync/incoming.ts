import { isJsonObject, type Json, parseYamlDocuments } from '../base/index.ts';
import { deepEqual, type KubeObject, validateDnsSubdomain } from '../object/index.ts';
import { isOwned, ownerAnnotation, ownerValue, type PolicyRef, type Refusal, refOf } from './policy.ts';
import type { PolicyKinds } from './policy-kinds.ts';

interface DesiredPolicy {
  readonly ref: PolicyRef;
  readonly object: KubeObject;
}

/** The response of Insights, split into policies that can be synced and rejected documents. */
export interface Incoming {
  readonly policies: readonly DesiredPolicy[];
  readonly refused: readonly Refusal[];
  /**
   * False if a document does not identify its policy, or the last one looks truncated. It is then unknown whether a
   * policy is missing from the response, and none may be removed.
   */
  readonly isComplete: boolean;
  /** The last policy. If it turns out to be invalid, the response may have been truncated there. */
  readonly lastKey: string | undefined;
}

/** Parses the response. Throws YamlError if it is not YAML; a document that is not a policy is rejected on its own. */
export function readIncoming(text: string, kinds: PolicyKinds): Incoming {
  const parsed = parseYamlDocuments(text, { file: 'the response of Insights' });
  const documents = parsed.flatMap(({ value, line }) =>
    itemsOf(value).map((item, index) => ({ item, place: `line ${line}${index === 0 ? '' : `, item ${index}`}` })),
  );
  const refused: Refusal[] = [];
  const found = new Map<string, DesiredPolicy[]>();
  const isCut = endsInsideMapping(parsed.at(-1)?.value, text);
  let isComplete = !isCut;
  let lastKey: string | undefined;
  for (const [index, { item, place }] of documents.entries()) {
    const isLast = index === documents.length - 1;
    const policy = readPolicy(item, kinds, place);
    const read =
      isLast && isCut && !('reason' in policy)
        ? { ...refusal(policy), reason: 'it ends inside a mapping: the response is truncated there' }
        : policy;
    if (isLast) lastKey = read.ref?.key;
    if ('reason' in read) {
      refused.push(read);
      // A rejected last document may be a truncated one.
      if (read.ref === undefined || isLast) isComplete = false;
    } else found.set(read.ref.key, [...(found.get(read.ref.key) ?? []), read]);
  }
  const policies: DesiredPolicy[] = [];
  const isRefused = new Set(refused.map(({ ref }) => ref?.key));
  for (const same of found.values()) {
    const [first] = same as [DesiredPolicy];
    // One outcome per policy: the reason is already reported.
    if (isRefused.has(first.ref.key)) continue;
    if (same.every(({ object }) => deepEqual(object, first.object))) policies.push(first);
    else
      refused.push({ ...refusal(first), reason: `it is in the response ${same.length} times with different content` });
  }
  return { policies, refused, isComplete, lastKey };
}

function itemsOf(value: Json): readonly Json[] {
  if (!isJsonObject(value)) return [value];
  const isList = typeof value['kind'] === 'string' && value['kind'].endsWith('List') && Array.isArray(value['items']);
  return isList ? (value['items'] as readonly Json[]) : [value];
}

const refusal = ({ ref, object }: DesiredPolicy) => ({ ref, label: ref.label, object });

function readPolicy(value: Json, kinds: PolicyKinds, place: string): DesiredPolicy | Refusal {
  const unknown = (what: string): Refusal => ({ label: `document at ${place}`, reason: what });
  if (!isJsonObject(value)) return unknown('it is not a Kubernetes object');
  const { apiVersion, kind, metadata } = value;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return unknown('it has no apiVersion and kind');
  if (!isJsonObject(metadata) || typeof metadata['name'] !== 'string') return unknown(`the ${kind} has no name`);
  if (validateDnsSubdomain(metadata['name']).length > 0)
    return unknown(`the ${kind} has a name that no object can have`);
  const type = kinds.find(apiVersion, kind);
  const label = `${kind}/${metadata['name']}`;
  if (type === undefined)
    return { label, reason: `${apiVersion} ${kind} is no policy kind that this cluster serves; is Kyverno installed?` };
  for (const field of ['labels', 'annotations'])
    if (!isTextMap(metadata[field])) return { label, reason: `metadata.${field} must be a map of texts` };
  const namespace = metadata['namespace'];
  if (type.namespaced && (typeof namespace !== 'string' || namespace === ''))
    return { label, reason: `a ${kind} lives in a namespace, and none is given` };
  const object = clean(value as KubeObject, type.namespaced);
  const policy = { ref: refOf(type, object), object };
  if (isOwned(object)) {
    const missing = missingPart(object);
    return missing === undefined ? policy : { ...refusal(policy), reason: missing };
  }
  return { ...refusal(policy), reason: `it lacks the annotation ${ownerAnnotation}: "${ownerValue}"` };
}

/** Fields that every policy has. Detects a truncated document, and one that would silently disable a policy. */
function missingPart({ apiVersion, kind, ...rest }: KubeObject): string | undefined {
  const spec = (rest as { readonly spec?: unknown }).spec;
  if (typeof spec !== 'object' || spec === null || Array.isArray(spec)) return 'it has no spec; is it cut off?';
  const hasRules = apiVersion.startsWith('kyverno.io/') && (kind === 'ClusterPolicy' || kind === 'Policy');
  const rules = (spec as { readonly rules?: unknown }).rules;
  if (hasRules && (!Array.isArray(rules) || rules.length === 0)) return 'it has no rules; is it cut off?';
  return undefined;
}

/**
 * Whether the text stops after a key, a list dash or the header of a block scalar. Both the value and the last line
 * must show it: an explicit `null` is a value, and a string may end in a colon.
 */
function endsInsideMapping(value: Json | undefined, text: string): boolean {
  let last = value;
  while (typeof last === 'object' && last !== null) last = (Array.isArray(last) ? last : Object.values(last)).at(-1);
  const line = text.trimEnd().split('\n').at(-1)?.trim() ?? '';
  if (last === null) return /(^-|:)$/.test(line);
  return last === '' && /[|>][-+0-9]*$/.test(line);
}

function isTextMap(value: Json | undefined): boolean {
  if (value === undefined || value === null) return true;
  return isJsonObject(value) && Object.values(value).every((entry) => typeof entry === 'string');
}

/** Only what a sync controls: Insights does not decide server-set fields and status. */
function clean(value: KubeObject, isNamespaced: boolean): KubeObject {
  const { metadata, status: _, ...rest } = value;
  const { name, namespace, labels, annotations } = metadata;
  return {
    ...rest,
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(isNamespaced && namespace !== undefined ? { namespace } : {}),
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
    },
  };
}
