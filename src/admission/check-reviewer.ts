import { isJsonObject, type JsonObject, renderJson } from '../base/index.ts';
import { compileException, type PolicyIssue } from '../policy/index.ts';
import { celPolicyTypes, exceptionsCountForAll, type LivePolicies } from '../runtime/index.ts';
import type { AdmissionDecision, AdmissionRequest, Registration, Reviewer } from '../webhook/index.ts';
import { isMetadataUpdateUnderDeletion } from './deletion.ts';
import { findUnknownKinds, renderUnknownKind, type ServedType } from './unknown-kinds.ts';

/** Denies policies and exceptions that cannot run, and names the invalid field. */
export function createCheckReviewer(options: CheckOptions): Reviewer {
  return { path: 'check', review: (request, { signal }) => check(request, options, signal) };
}

interface CheckOptions {
  readonly policies: Pick<LivePolicies, 'check' | 'selects'>;
  /** Namespaces whose exceptions apply to every policy. */
  readonly exceptionNamespaces: readonly string[];
  /** The kinds that the cluster serves, for warnings about kinds that it does not serve. */
  readonly servedKinds?: (signal: AbortSignal) => Promise<readonly ServedType[]>;
}

async function check(
  request: AdmissionRequest,
  { policies, exceptionNamespaces, servedKinds }: CheckOptions,
  signal: AbortSignal,
): Promise<AdmissionDecision> {
  const { object, oldObject, kind } = request;
  if (!object || isMetadataUpdateUnderDeletion(request) || (oldObject && isSameSpec(object, oldObject))) return {};
  if (kind.kind === 'PolicyException') {
    const decision = decisionOf('PolicyException', compileException(object).issues);
    const ignored = ignoredPolicies(object, request.namespace, exceptionNamespaces);
    return { ...decision, warnings: [...(decision.warnings ?? []), ...ignored] };
  }
  // Policies that Kyverno runs are checked by Kyverno.
  const { labels } = (object['metadata'] ?? {}) as { readonly labels?: Readonly<Record<string, string>> };
  if (!policies.selects(labels)) return {};
  const decision = decisionOf(kind.kind, policies.check(object));
  // A failing discovery must not prevent the write of a policy.
  const served = await servedKinds?.(signal).catch(() => undefined);
  if (decision.denied !== undefined || served === undefined) return decision;
  const unknown = findUnknownKinds(object['spec'], served).map(renderUnknownKind);
  return { ...decision, warnings: [...(decision.warnings ?? []), ...unknown] };
}

/** A warning for each policy that the exception names but does not apply to. */
function ignoredPolicies(exception: JsonObject, namespace: string, trusted: readonly string[]): readonly string[] {
  if (exceptionsCountForAll(trusted, namespace)) return [];
  const { exceptions, policyRefs } = isJsonObject(exception['spec']) ? exception['spec'] : {};
  const listed = [exceptions, policyRefs].flatMap((list) => (Array.isArray(list) ? list : []));
  const names = listed.flatMap((one) => {
    if (!isJsonObject(one)) return [];
    // One of these kinds refers to a policy of a namespace by its name alone: the one in its own.
    if (String(one['kind']).startsWith('Namespaced')) return [];
    return [one['policyName'], one['name']].filter((name) => typeof name === 'string');
  });
  return [...new Set(names)]
    .filter((name) => !name.startsWith(`${namespace}/`))
    .slice(0, maxReported)
    .map(
      (name) =>
        `this exception does not apply to policy ${name}: namespace ${namespace} is not in policies.exceptionNamespaces`,
    );
}

const maxReported = 20;

function decisionOf(kind: string, issues: readonly PolicyIssue[]): AdmissionDecision {
  const errors = issues.filter(({ severity }) => severity === 'error');
  const warnings = issues.filter(({ severity }) => severity === 'warning').map(render);
  if (errors.length === 0) return { warnings };
  const more = errors.length > maxReported ? [`and ${errors.length - maxReported} more`] : [];
  const reported = [...errors.slice(0, maxReported).map(render), ...more];
  return { denied: `the ${kind} cannot be used: ${reported.join('; ')}`, warnings };
}

const render = ({ path, message }: PolicyIssue) => (path === '' ? message : `${path}: ${message}`);

/** An update that leaves the spec as it is must be admitted, even if a newer version of the check would deny the policy. */
function isSameSpec(a: JsonObject, b: JsonObject): boolean {
  return renderJson([a['spec'], annotationsOf(a)]) === renderJson([b['spec'], annotationsOf(b)]);
}

const annotationsOf = (object: JsonObject) => (object['metadata'] as JsonObject | undefined)?.['annotations'];

/** Kinds that are served where the definitions are Kyverno's: refused, for nobody would evaluate them. */
const notSupported = ['imagevalidatingpolicies', 'namespacedimagevalidatingpolicies'];

/**
 * failurePolicy Ignore, unlike Kyverno: while the webhook is down, policies can still be applied and removed, and one
 * that cannot run gets a status that says so when the controller is back.
 */
export function checkRegistration(): Registration {
  const operations = ['CREATE', 'UPDATE'];
  return {
    name: 'policy-check',
    type: 'validating',
    entries: async () => [
      {
        name: 'check',
        path: '/check',
        failurePolicy: 'Ignore',
        timeoutSeconds: 10,
        rules: [
          {
            operations,
            apiGroups: ['kyverno.io'],
            apiVersions: ['*'],
            resources: ['clusterpolicies', 'policies', 'policyexceptions'],
            scope: '*',
          },
          {
            operations,
            apiGroups: ['policies.kyverno.io'],
            apiVersions: ['*'],
            resources: [...celPolicyTypes.map(({ resource }) => resource), ...notSupported, 'policyexceptions'],
            scope: '*',
          },
        ],
      },
    ],
    subscribe: () => () => {},
  };
}
