import { isJsonObject, type JsonObject } from '../base/index.ts';
import type { DiscoveredType, Discovery } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import type { RequestUser, RuleProgram } from '../policy/index.ts';
import type { LivePolicies, Namespaces, Roles } from '../runtime/index.ts';
import type { AdmissionRequest, Registration, Reviewer, WebhookRule } from '../webhook/index.ts';
import type { AdmittedRequest } from './outbox.ts';
import { createRuleTable, type RuleTable } from './rule-table.ts';

export interface RequestListenerOptions {
  readonly table: () => RuleTable;
  readonly types: () => readonly DiscoveredType[];
  readonly discovery: Pick<Discovery, 'list'>;
  readonly policies: LivePolicies;
  readonly namespaces: Namespaces;
  readonly roles: Roles;
  readonly collect: (request: AdmittedRequest) => void;
}

/** Hears of the requests that admission-bound rules act on. It never refuses, and nobody waits for it when it is gone. */
export function createRequestListener(options: RequestListenerOptions): {
  readonly reviewer: Reviewer;
  readonly registration: Registration;
} {
  const { table, types, discovery, policies, namespaces, roles, collect } = options;
  return {
    reviewer: {
      path: 'generate',
      async review(request, { signal }) {
        const user = userOf(request.userInfo);
        const isNamespaced = request.namespace !== '' && request.resource.resource !== 'namespaces';
        const labels = isNamespaced
          ? (namespaces.labels(request.namespace) ?? (await namespaces.fetchLabels(request.namespace, signal)))
          : {};
        const wantsRoles = boundRules(table()).some(readsRoles);
        const bound = wantsRoles ? await roles.of(user, signal) : { roles: [], clusterRoles: [] };
        const kind = kindOf(request, types());
        const { uid, operation, resource, subResource, namespace, name, dryRun } = request;
        const object = operation === 'DELETE' ? undefined : asObject(request.object);
        const oldObject = asObject(request.oldObject);
        const named = name || object?.metadata.name || '';
        const info = { userInfo: user, ...bound };
        const identity = { uid, operation, kind, resource, subresource: subResource, namespace, name: named };
        collect({ ...identity, object, oldObject, namespaceLabels: labels, info, dryRun });
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

const readsRoles = ({ spec }: RuleProgram): boolean =>
  /"(roles|clusterRoles)":|request\.(roles|clusterRoles)\b/.test(JSON.stringify(spec));

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

function operationsOf({ spec: { match = {} } }: RuleProgram, subresource: string): readonly string[] {
  const filters = [match, ...(match.any ?? []), ...(match.all ?? [])];
  const named = new Set(filters.flatMap(({ resources }) => resources?.operations ?? []));
  const order = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'];
  if (named.size > 0) return order.filter((operation) => named.has(operation));
  return connected.has(subresource) ? ['CONNECT'] : ['CREATE', 'UPDATE'];
}

/** Policies name the kind of the object that a subresource belongs to. */
function kindOf({ kind, resource, subResource }: AdmissionRequest, types: readonly DiscoveredType[]) {
  if (subResource === '') return kind;
  const { group, version, resource: name } = resource;
  const parent = types.find((type) => type.group === group && type.version === version && type.resource === name);
  return parent ? { group, version, kind: parent.kind } : kind;
}

function asObject(value: JsonObject | undefined): KubeObject | undefined {
  if (!value) return undefined;
  return { ...value, metadata: isJsonObject(value['metadata']) ? value['metadata'] : {} } as unknown as KubeObject;
}

function userOf({ username, uid, groups, extra }: JsonObject): RequestUser {
  return {
    username: typeof username === 'string' ? username : '',
    ...(typeof uid === 'string' ? { uid } : {}),
    groups: Array.isArray(groups) ? groups.filter((group): group is string => typeof group === 'string') : [],
    ...(isJsonObject(extra) ? { extra: extra as unknown as NonNullable<RequestUser['extra']> } : {}),
  };
}
