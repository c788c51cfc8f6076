import type { Discovery, InformerFactory, ResourceType } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import type { PolicyProgram } from '../policy/index.ts';
import type { LivePolicies } from '../runtime/index.ts';
import type { Registration, WebhookEntry } from '../webhook/index.ts';
import { groupsOf, isReviewed, type PolicyGroup, routeOf } from './policy-groups.ts';
import type { ResourceFilters } from './resource-filters.ts';
import { webhookRules } from './webhook-rules.ts';

interface PolicyRegistrationsOptions {
  readonly policies: Pick<LivePolicies, 'current' | 'subscribe'>;
  readonly discovery: Pick<Discovery, 'list' | 'invalidate'>;
  readonly informers: InformerFactory;
  readonly filters: ResourceFilters;
}

/** The webhooks of all policies, and which policies have theirs registered. */
export interface PolicyRegistrations {
  readonly mutate: Registration;
  readonly validate: Registration;
  /** Why the webhook of the policy could not be registered. */
  refusalOf(program: PolicyProgram): string | undefined;
  /** True when the registered webhooks cover every rule of the policy. */
  isRegistered(program: PolicyProgram): boolean;
  /** Calls the listener when one of these may have changed. */
  subscribe(listener: () => void): () => void;
}

const crds: ResourceType = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
};

type Kind = 'mutate' | 'validate';

export function createPolicyRegistrations(options: PolicyRegistrationsOptions): PolicyRegistrations {
  const listeners = new Set<() => void>();
  const registered: Record<Kind, ReadonlySet<PolicyProgram>> = { mutate: new Set(), validate: new Set() };
  const refusals: Record<Kind, ReadonlyMap<string, string>> = { mutate: new Map(), validate: new Map() };
  const registration = (kind: Kind, type: Registration['type']): Registration => {
    let requested: ReadonlySet<PolicyProgram> = new Set();
    return {
      name: `policies-${kind}`,
      type,
      async entries(signal) {
        const { current } = options.policies;
        requested = new Set(current.programs);
        const types = await options.discovery.list({ signal });
        return entriesOf(
          kind,
          current.programs.length === 0 ? [] : [...groupsOf(current).values()],
          types,
          options.filters,
        );
      },
      subscribe: (listener) => subscribeToChanges(options, listener),
      onRegistered(_, refused) {
        registered[kind] = requested;
        refusals[kind] = new Map(refused.map(({ entry, message }) => [entry.name, message]));
        for (const listener of [...listeners]) listener();
      },
    };
  };
  return {
    mutate: registration('mutate', 'mutating'),
    validate: registration('validate', 'validating'),
    refusalOf(program) {
      const name = nameOf(routeOf(program));
      return refusals.mutate.get(`mutate.${name}`) ?? refusals.validate.get(`validate.${name}`);
    },
    isRegistered: (program) => registered.mutate.has(program) && registered.validate.has(program),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function entriesOf(
  kind: Kind,
  groups: readonly PolicyGroup[],
  types: Awaited<ReturnType<Discovery['list']>>,
  filters: ResourceFilters,
): readonly WebhookEntry[] {
  return groups.flatMap((group): WebhookEntry[] => {
    const rules = webhookRules(
      group.programs,
      (rule) => isReviewed(rule) && (rule.phase === 'mutate') === (kind === 'mutate'),
      types,
      filters,
    );
    if (rules.length === 0) return [];
    return [
      {
        name: `${kind}.${nameOf(group.route)}`,
        path: `/${kind}/${encodeURI(group.route)}`,
        rules,
        failurePolicy: group.failurePolicy,
        timeoutSeconds: group.timeoutSeconds,
        matchConditions: group.matchConditions,
        namespace: group.namespace,
      },
    ];
  });
}

/** The route `fail/namespace/ns` as labels of a DNS name. */
const nameOf = (route: string) => route.split('/').reverse().join('.');

/** Changes of policies change the webhook rules; so do new kinds that a policy already names. */
function subscribeToChanges({ policies, informers, discovery }: PolicyRegistrationsOptions, listener: () => void) {
  const stopPolicies = policies.subscribe(({ type }) => {
    if (type === 'policy') listener();
  });
  const informer = informers.for<KubeObject>(crds, { metadataOnly: true });
  const onKinds = () => {
    if (!informer.hasSynced) return;
    discovery.invalidate();
    listener();
  };
  const stopKinds = informer.addHandler({
    onAdd: ({ isInitial }) => void (isInitial || onKinds()),
    onUpdate: onKinds,
    onDelete: onKinds,
  });
  return () => {
    stopPolicies();
    stopKinds();
  };
}
