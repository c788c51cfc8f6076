import type { Clock } from '../base/index.ts';
import type { DiscoveredType, Discovery } from '../kube/index.ts';
import type { PolicyProgram, RuleProgram } from '../policy/index.ts';
import type { LivePolicies, Namespaces, Roles } from '../runtime/index.ts';
import {
  createRequestReader,
  type Registration,
  type Reviewer,
  type WebhookEntry,
  type WebhookRule,
} from '../webhook/index.ts';
import type { CollectReview } from './outbox.ts';
import { createRuleTable, type RuleTable } from './rule-table.ts';
import { isGenerating } from './rules.ts';

interface RequestListenerOptions {
  readonly table: () => RuleTable;
  readonly discovery: Pick<Discovery, 'list' | 'byResource'>;
  readonly policies: LivePolicies;
  readonly namespaces: Namespaces;
  readonly roles: Roles;
  readonly clock: Clock;
  /** Treats every review as sent by the API server, also without a client certificate. */
  readonly trustsReviews: boolean;
  readonly collect: CollectReview;
}

/** Which policies receive their requests. */
interface RequestRegistrations {
  /** False for a policy whose rules may need requests that the API server does not send yet. */
  isRegistered(program: PolicyProgram): boolean;
  /** Calls the listener after each registration. */
  subscribe(listener: () => void): () => void;
}

/** Receives the requests that admission-bound rules act on. It never denies, and its failurePolicy is Ignore. */
export function createRequestListener(options: RequestListenerOptions): {
  readonly reviewer: Reviewer;
  readonly registration: Registration;
  readonly registrations: RequestRegistrations;
} {
  const { table, discovery, policies, roles, trustsReviews, collect } = options;
  let requested: readonly PolicyProgram[] = [];
  let registered: ReadonlySet<PolicyProgram> = new Set();
  const listeners = new Set<() => void>();
  const reader = createRequestReader(options);
  return {
    reviewer: {
      path: 'generate',
      async review(request, context) {
        const signal = () => context.signal;
        const kind = await reader.kindOf(request, signal);
        const { object, oldObject, namespaceLabels, info } = await reader.read(request, kind, signal);
        const policyNamespace = context.route === '' ? undefined : context.route;
        const wantsRoles = (boundRules(table()).get(policyNamespace) ?? []).some(({ reads }) => reads.roles);
        const bound = wantsRoles ? await roles.of(info.userInfo, () => context.signal) : {};
        const { uid, operation, resource, subResource, namespace, dryRun } = request;
        const name = request.name || (object ?? oldObject)?.metadata.name || '';
        const isTrusted = context.authenticated || trustsReviews;
        const identity = { uid, operation, kind, resource, subresource: subResource, namespace, name };
        const subject = { object, oldObject, namespaceLabels, info: { ...info, ...bound } };
        await collect({ ...identity, ...subject, dryRun, policyNamespace, isTrusted }, context.signal);
        return {};
      },
    },
    registration: {
      name: 'policies-generate',
      type: 'validating',
      async entries(signal) {
        const known = await discovery.list({ signal });
        const { programs } = policies.current;
        requested = programs;
        const bound = boundRules(createRuleTable(programs, known));
        return [...bound].flatMap(([namespace, ofNamespace]) => {
          const rules = listenedRules(ofNamespace, known, namespace === undefined ? '*' : 'Namespaced');
          return rules.length === 0 ? [] : [entryOf(namespace, rules)];
        });
      },
      subscribe: (listener) => policies.subscribe(({ type }) => type === 'policy' && listener()),
      onRegistered() {
        registered = new Set(requested);
        for (const listener of [...listeners]) listener();
      },
    },
    registrations: {
      isRegistered: (program) => registered.has(program) || !program.rules.some((rule) => isGenerating(program, rule)),
      subscribe(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
  };
}

/**
 * A namespaced policy receives requests of its namespace only, so that requests of other namespaces do not wait for it.
 */
function entryOf(namespace: string | undefined, rules: readonly WebhookRule[]): WebhookEntry {
  const base = { rules, failurePolicy: 'Ignore', timeoutSeconds: 5 } as const;
  if (namespace === undefined) return { ...base, name: 'generate', path: '/generate' };
  return { ...base, name: `${namespace}.namespace.generate`, path: `/generate/${namespace}`, namespace };
}

/** Admission-bound rules by the namespace of their policy; undefined for ClusterPolicies. */
function boundRules({ policies }: RuleTable): ReadonlyMap<string | undefined, readonly RuleProgram[]> {
  const byNamespace = new Map<string | undefined, RuleProgram[]>();
  for (const { bound, program } of policies.values()) {
    if (bound.length === 0) continue;
    const namespace = program.namespace === '' ? undefined : program.namespace;
    const rules = byNamespace.get(namespace);
    if (rules) rules.push(...bound);
    else byNamespace.set(namespace, [...bound]);
  }
  return byNamespace;
}

/** The smallest set of webhook rules. A namespaceSelector does not exclude cluster-scoped objects, so `scope` does. */
function listenedRules(
  rules: readonly RuleProgram[],
  types: readonly DiscoveredType[],
  scope: WebhookRule['scope'] = '*',
): readonly WebhookRule[] {
  const resources = new Map<string, { readonly rule: Omit<WebhookRule, 'resources'>; readonly names: Set<string> }>();
  for (const program of rules) {
    for (const type of types) {
      if (scope === 'Namespaced' && !type.namespaced) continue;
      for (const subresource of ['', ...type.subresources]) {
        if (!program.mayMatchKind(type, subresource)) continue;
        const operations = operationsOf(program, subresource);
        const id = JSON.stringify([type.group, type.version, operations]);
        const rule = { operations, apiGroups: [type.group], apiVersions: [type.version], scope };
        const entry = resources.get(id) ?? { rule, names: new Set<string>() };
        entry.names.add(subresource === '' ? type.resource : `${type.resource}/${subresource}`);
        resources.set(id, entry);
      }
    }
  }
  return [...resources.values()].map(({ rule, names }) => ({ ...rule, resources: [...names].sort() }));
}

const connected: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward', 'proxy']);

function operationsOf({ operations }: RuleProgram, subresource: string): readonly string[] {
  const order = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'];
  if (operations.size > 0) return order.filter((operation) => operations.has(operation));
  return connected.has(subresource) ? ['CONNECT'] : ['CREATE', 'UPDATE'];
}
