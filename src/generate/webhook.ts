import type { Clock } from '../base/index.ts';
import type { DiscoveredType, Discovery } from '../kube/index.ts';
import type { RuleProgram } from '../policy/index.ts';
import type { LivePolicies, Namespaces, Roles } from '../runtime/index.ts';
import { createRequestReader, type Registration, type Reviewer, type WebhookRule } from '../webhook/index.ts';
import type { AdmittedRequest } from './outbox.ts';
import { createRuleTable, type RuleTable } from './rule-table.ts';

export interface RequestListenerOptions {
  readonly table: () => RuleTable;
  readonly discovery: Pick<Discovery, 'list' | 'byResource'>;
  readonly policies: LivePolicies;
  readonly namespaces: Namespaces;
  readonly roles: Roles;
  readonly clock: Clock;
  readonly collect: (request: AdmittedRequest) => void;
}

/** Hears of the requests that admission-bound rules act on. It never refuses, and nobody waits for it when it is gone. */
export function createRequestListener(options: RequestListenerOptions): {
  readonly reviewer: Reviewer;
  readonly registration: Registration;
} {
  const { table, discovery, policies, roles, collect } = options;
  const reader = createRequestReader(options);
  return {
    reviewer: {
      path: 'generate',
      async review(request, context) {
        const signal = () => context.signal;
        const kind = await reader.kindOf(request, signal);
        const { object, oldObject, namespaceLabels, info } = await reader.read(request, kind, signal);
        const wantsRoles = boundRules(table()).some(({ reads }) => reads.roles);
        const bound = wantsRoles ? await roles.of(info.userInfo, context.signal) : {};
        const { uid, operation, resource, subResource, namespace, dryRun } = request;
        const name = request.name || object?.metadata.name || '';
        const identity = { uid, operation, kind, resource, subresource: subResource, namespace, name };
        collect({ ...identity, object, oldObject, namespaceLabels, info: { ...info, ...bound }, dryRun });
        return {};
      },
    },
    registration: {
      name: 'policies-generate',
      type: 'validating',
      async entries(signal) {
        const known = await discovery.list({ signal });
        const rules = listenedRules(boundRules(createRuleTable(policies.current.programs, known)), known);
        if (rules.length === 0) return [];
        return [{ name: 'generate', path: '/generate', rules, failurePolicy: 'Ignore', timeoutSeconds: 5 }];
      },
      subscribe: (listener) => policies.subscribe(({ type }) => type === 'policy' && listener()),
    },
  };
}

const boundRules = ({ policies }: RuleTable): readonly RuleProgram[] =>
  [...policies.values()].flatMap(({ bound }) => bound);

/** What the API server is to tell us of, and no more. */
export function listenedRules(rules: readonly RuleProgram[], types: readonly DiscoveredType[]): readonly WebhookRule[] {
  const resources = new Map<string, { readonly rule: Omit<WebhookRule, 'resources'>; readonly names: Set<string> }>();
  for (const rule of rules) {
    for (const type of types) {
      for (const subresource of ['', ...type.subresources]) {
        if (!rule.concerns(type, subresource)) continue;
        const operations = operationsOf(rule, subresource);
        const id = JSON.stringify([type.group, type.version, operations]);
        const scope = { operations, apiGroups: [type.group], apiVersions: [type.version], scope: '*' as const };
        const entry = resources.get(id) ?? { rule: scope, names: new Set<string>() };
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
