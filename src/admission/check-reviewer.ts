import { isJsonObject, type JsonObject } from '../base/index.ts';
import type { GroupVersionKind } from '../object/index.ts';
import { compileException, compilePolicy, type PolicyIssue } from '../policy/index.ts';
import { exceptionsCountForAll, type LivePolicies } from '../runtime/index.ts';
import type { AdmissionDecision, AdmissionRequest, Registration, Reviewer } from '../webhook/index.ts';
import { isMetadataUpdateUnderDeletion } from './deletion.ts';
import { findUnknownKinds, renderUnknownKind } from './unknown-kinds.ts';

/** Refuses policies and exceptions that could not run, with the field that is wrong. */
export function createCheckReviewer(options: CheckOptions): Reviewer {
  return { path: 'check', review: (request, { signal }) => check(request, options, signal) };
}

export interface CheckOptions {
  readonly policies: Pick<LivePolicies, 'selects'>;
  /** Namespaces whose exceptions count for every policy. */
  readonly exceptionNamespaces: readonly string[];
  /** The kinds of the cluster, for warnings about those that it does not have. */
  readonly servedKinds?: (signal: AbortSignal) => Promise<readonly GroupVersionKind[]>;
}

async function check(
  request: AdmissionRequest,
  { policies, exceptionNamespaces, servedKinds }: CheckOptions,
  signal: AbortSignal,
): Promise<AdmissionDecision> {
  const { object, oldObject, kind } = request;
  if (!object || isMetadataUpdateUnderDeletion(request) || (oldObject && isSameSpec(object, oldObject))) return {};
  if (kind.kind === 'PolicyException') {
    const verdict = verdictOf('PolicyException', compileException(object).issues);
    const ignored = ignoredPolicies(object, request.namespace, exceptionNamespaces);
    return { ...verdict, warnings: [...(verdict.warnings ?? []), ...ignored] };
  }
  // Where Kyverno runs as well, its policies are for it to judge.
  const { labels } = (object['metadata'] ?? {}) as { readonly labels?: Readonly<Record<string, string>> };
  if (!policies.selects(labels)) return {};
  const verdict = verdictOf(kind.kind, compilePolicy(object).issues);
  // A policy must be admitted while discovery does not answer.
  const served = await servedKinds?.(signal).catch(() => undefined);
  if (verdict.denied !== undefined || served === undefined) return verdict;
  const unknown = findUnknownKinds(object['spec'], served).map(renderUnknownKind);
  return { ...verdict, warnings: [...(verdict.warnings ?? []), ...unknown] };
}

/** A warning for each policy that the exception names and does not count for. */
function ignoredPolicies(exception: JsonObject, namespace: string, trusted: readonly string[]): readonly string[] {
  if (exceptionsCountForAll(trusted, namespace)) return [];
  const { exceptions } = isJsonObject(exception['spec']) ? exception['spec'] : {};
  const names = (Array.isArray(exceptions) ? exceptions : []).flatMap((one) =>
    isJsonObject(one) && typeof one['policyName'] === 'string' ? [one['policyName']] : [],
  );
  return [...new Set(names)]
    .filter((name) => !name.startsWith(`${namespace}/`))
    .slice(0, maxTold)
    .map(
      (name) =>
        `this exception does not count for policy ${name}: namespace ${namespace} is not in policies.exceptionNamespaces`,
    );
}

const maxTold = 20;

function verdictOf(kind: string, issues: readonly PolicyIssue[]): AdmissionDecision {
  const errors = issues.filter(({ severity }) => severity === 'error');
  const warnings = issues.filter(({ severity }) => severity === 'warning').map(render);
  if (errors.length === 0) return { warnings };
  const more = errors.length > maxTold ? [`and ${errors.length - maxTold} more`] : [];
  const told = [...errors.slice(0, maxTold).map(render), ...more];
  return { denied: `the ${kind} cannot be used: ${told.join('; ')}`, warnings };
}

const render = ({ path, message }: PolicyIssue) => (path === '' ? message : `${path}: ${message}`);

/** A policy that was taken once must stay open to labels, finalizers and removal, whatever we think of it by now. */
function isSameSpec(a: JsonObject, b: JsonObject): boolean {
  return JSON.stringify([a['spec'], annotationsOf(a)]) === JSON.stringify([b['spec'], annotationsOf(b)]);
}

const annotationsOf = (object: JsonObject) => (object['metadata'] as JsonObject | undefined)?.['annotations'];

/**
 * Ignore, unlike Kyverno: with us gone, policies can still be applied and removed, and one that cannot run says so in
 * its status as soon as we are back.
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
        ],
      },
    ],
    subscribe: () => () => {},
  };
}
