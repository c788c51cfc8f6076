import type { DiscoveredType, Discovery, InformerFactory, ResourceType } from '../kube/index.ts';
import { deepEqual, type KubeObject } from '../object/index.ts';
import type { ExceptionProgram, PolicyProgram } from '../policy/index.ts';
import type { LivePolicies } from '../runtime/index.ts';
import type { Registration, WebhookEntry } from '../webhook/index.ts';
import { conditionsOf, groupsOf, isReviewed, type PolicyGroup, routeOf, timeoutOf } from './policy-groups.ts';
import type { ResourceFilters } from './resource-filters.ts';
import {
  type Coverage,
  type CoverageOf,
  compileCoverage,
  covers,
  mergeCoverage,
  renderWebhookRules,
} from './webhook-rules.ts';

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
  /** True when the registered webhooks cover every rule of the policy, or were refused. */
  isRegistered(program: PolicyProgram): boolean;
  /**
   * Calls the listener after each registration: policies that were not registered may be now, and for those of which
   * `isChanged` is true something else changed.
   */
  subscribe(listener: (isChanged: (program: PolicyProgram) => boolean) => void): () => void;
}

const crds: ResourceType = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
};

type Kind = 'mutate' | 'validate';

/** The webhook of a policy group. */
interface GroupWebhook {
  readonly group: PolicyGroup;
  readonly coverage: Coverage;
}

/** What was registered, or refused, for the kinds that the cluster served then. */
interface Registered {
  readonly coverageOf: CoverageOf;
  readonly byRoute: ReadonlyMap<string, GroupWebhook>;
  /** The messages of refused webhooks, by route. */
  readonly refusals: ReadonlyMap<string, string>;
}

export function createPolicyRegistrations(options: PolicyRegistrationsOptions): PolicyRegistrations {
  const listeners = new Set<(isChanged: (program: PolicyProgram) => boolean) => void>();
  const registered: Partial<Record<Kind, Registered>> = {};
  /** What is being registered, while that takes. */
  const requested: Partial<Record<Kind, Omit<Registered, 'refusals'>>> = {};
  const coverageIn = createCoverageCache(options.filters);
  const registration = (kind: Kind, type: Registration['type']): Registration => ({
    name: `policies-${kind}`,
    type,
    async entries(signal) {
      const coverageOf = coverageIn(await options.discovery.list({ signal }));
      const { current } = options.policies;
      const groups = current.programs.length === 0 ? [] : [...groupsOf(current).values()];
      const webhooks = groups.map((group): GroupWebhook => {
        const needed = group.programs.flatMap((program) => neededBy(kind, program, coverageOf));
        return { group, coverage: mergeCoverage(needed) };
      });
      requested[kind] = { coverageOf, byRoute: new Map(webhooks.map((webhook) => [webhook.group.route, webhook])) };
      return webhooks.filter(({ coverage }) => coverage.size > 0).map((webhook) => entryOf(kind, webhook));
    },
    subscribe: (listener) => subscribeToChanges(options, listener),
    forget() {
      delete registered[kind];
      delete requested[kind];
    },
    onRegistered(_, refused) {
      const before = registered[kind];
      const now = requested[kind];
      if (!now) return;
      const messages = new Map(refused.map(({ entry, message }) => [entry.path, message]));
      const refusals = new Map(
        [...now.byRoute.keys()].flatMap((route) => {
          const message = messages.get(pathOf(kind, route));
          return message === undefined ? [] : [[route, message] as const];
        }),
      );
      registered[kind] = { ...now, refusals };
      delete requested[kind];
      const servesOthers = before?.coverageOf !== now.coverageOf;
      const isChanged = (program: PolicyProgram) => {
        if (servesOthers) return true;
        const route = routeOf(program);
        return before?.refusals.get(route) !== refusals.get(route);
      };
      for (const listener of [...listeners]) listener(isChanged);
    },
  });
  return {
    mutate: registration('mutate', 'mutating'),
    validate: registration('validate', 'validating'),
    refusalOf(program) {
      const route = routeOf(program);
      return registered.mutate?.refusals.get(route) ?? registered.validate?.refusals.get(route);
    },
    isRegistered: (program) =>
      kinds.every((kind) => {
        const [known, next] = [registered[kind], requested[kind]];
        // A registration that is under way may take away what is registered.
        const covered = (by: Omit<Registered, 'refusals'>) =>
          isCovered(kind, program, by, options.policies.current.exceptions);
        return known !== undefined && covered(known) && (!next || covered(next));
      }),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

const kinds: readonly Kind[] = ['mutate', 'validate'];

/** One for each list of types: discovery returns the same list until it has fetched another. */
function createCoverageCache(filters: ResourceFilters): (types: readonly DiscoveredType[]) => CoverageOf {
  const compiled = new WeakMap<readonly DiscoveredType[], CoverageOf>();
  return (types) => {
    let coverageOf = compiled.get(types);
    if (!coverageOf) compiled.set(types, (coverageOf = compileCoverage(types, filters)));
    return coverageOf;
  };
}

function neededBy(kind: Kind, { namespace, rules }: PolicyProgram, coverageOf: CoverageOf): readonly Coverage[] {
  return rules
    .filter((rule) => isReviewed(rule) && (rule.phase === 'mutate') === (kind === 'mutate'))
    .map((rule) => coverageOf(rule, namespace !== ''));
}

/** A webhook that other policies registered serves a new policy too, unless one of its own fields must change first. */
function isCovered(
  kind: Kind,
  program: PolicyProgram,
  { coverageOf, byRoute }: Omit<Registered, 'refusals'>,
  exceptions: readonly ExceptionProgram[],
): boolean {
  if (!program.settings.admission) return true;
  const needed = neededBy(kind, program, coverageOf).filter(({ size }) => size > 0);
  if (needed.length === 0) return true;
  const webhook = byRoute.get(routeOf(program));
  return (
    webhook !== undefined &&
    timeoutOf(program) <= webhook.group.timeoutSeconds &&
    deepEqual(conditionsOf(program, exceptions), webhook.group.matchConditions) &&
    needed.every((coverage) => covers(webhook.coverage, coverage))
  );
}

const pathOf = (kind: Kind, route: string) => `/${kind}/${encodeURI(route)}`;

function entryOf(kind: Kind, { group, coverage }: GroupWebhook): WebhookEntry {
  return {
    name: `${kind}.${nameOf(group.route)}`,
    path: pathOf(kind, group.route),
    rules: renderWebhookRules(coverage),
    failurePolicy: group.failurePolicy,
    timeoutSeconds: group.timeoutSeconds,
    matchConditions: group.matchConditions,
    matchPolicy: group.matchPolicy,
    reinvocationPolicy: group.reinvocationPolicy,
    namespace: group.namespace,
  };
}

/** The route `fail/namespace/ns` as labels of a DNS name. */
const nameOf = (route: string) => route.split('/').reverse().join('.');

/** Changes of policies change the webhook rules; so do new kinds that a policy already names. */
function subscribeToChanges({ policies, informers, discovery }: PolicyRegistrationsOptions, listener: () => void) {
  // Exceptions decide which conditions a webhook may have.
  const stopPolicies = policies.subscribe(listener);
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
