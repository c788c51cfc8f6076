import { type Discovery, isKubeError, type KubeClient, type ObjectKey, type ResourceType } from '../kube/index.ts';
import { type KubeObject, renderGvk } from '../object/index.ts';
import type { LivePolicies } from '../runtime/index.ts';
import { parsePolicyKey } from '../runtime/index.ts';
import type { Downstream, DownstreamIndex } from './downstream-index.ts';
import type { DownstreamWriter } from './downstream-writer.ts';
import type { GenerateRecorder } from './generate-recorder.ts';
import type { Origin, TriggerIdentity } from './origin.ts';
import type { GeneratingPolicy, RuleTable } from './rule-table.ts';
import { isSynchronized } from './rules.ts';
import type { TriggerContext } from './run-rules.ts';

interface SyncWorkOptions {
  readonly client: Pick<KubeClient, 'get'>;
  readonly discovery: Pick<Discovery, 'byKind'>;
  readonly policies: LivePolicies;
  readonly table: () => RuleTable;
  readonly index: DownstreamIndex;
  readonly writer: DownstreamWriter;
  readonly recorder: GenerateRecorder;
  readonly apply: (
    policy: GeneratingPolicy,
    job: { readonly context: TriggerContext; readonly rules: GeneratingPolicy['watched'] },
    signal: AbortSignal,
  ) => Promise<void>;
}

interface SyncRequest {
  readonly policy: string;
  readonly trigger: TriggerIdentity;
  readonly rules: ReadonlyMap<string, RuleRequest>;
}

interface RuleRequest {
  /** What triggered the rule. */
  readonly operation: Origin['operation'];
  /** The sources of the objects that the request is about; empty text for one without. */
  readonly sources: ReadonlySet<string>;
}

/** Keeps synchronized objects as their rule, trigger and source require, and removes those no longer wanted. */
export class SyncWork {
  /** By queue key, then by the trigger's uid: a name may be reused. */
  private readonly requests = new Map<string, Map<string, SyncRequest>>();

  constructor(private readonly options: SyncWorkOptions) {}

  get size(): number {
    return this.requests.size;
  }

  add(key: string, { policy, rule, trigger, operation, source = '' }: Origin): void {
    const byUid = this.requests.get(key) ?? new Map<string, SyncRequest>();
    this.requests.set(key, byUid);
    // Replace, never modify: a request that comes while the last one is processed is a new one.
    const before = byUid.get(trigger.uid)?.rules;
    const sources = new Set(before?.get(rule)?.sources).add(source);
    const rules = new Map(before).set(rule, { operation, sources });
    byUid.set(trigger.uid, { policy, trigger, rules });
  }

  policyOf(key: string): string | undefined {
    return this.requests.get(key)?.values().next().value?.policy;
  }

  /** A request that fails, or is replaced meanwhile, stays for the next run. */
  async run(key: string, signal: AbortSignal): Promise<void> {
    for (const [uid, request] of [...(this.requests.get(key) ?? [])]) {
      await this.synchronize(request, signal);
      const byUid = this.requests.get(key);
      if (byUid?.get(uid) === request) byUid.delete(uid);
    }
    if (this.requests.get(key)?.size === 0) this.requests.delete(key);
  }

  private async synchronize({ policy: key, trigger, rules }: SyncRequest, signal: AbortSignal): Promise<void> {
    const { policies, table, index } = this.options;
    const existing = index.ofTrigger(key, trigger.uid);
    const live = policies.get(key);
    if (!live) {
      if (await this.isPolicyGone(key, signal)) await this.remove(existing.filter(goesWithPolicy), signal);
      return;
    }
    // A policy that does not compile does not decide about existing objects.
    if (!live.program) return;
    const names = new Set(live.program.rules.map(({ name }) => name));
    const orphans = existing.filter(({ origin }) => !names.has(origin.rule));
    await this.remove(orphans.filter(goesWithPolicy), signal);

    const object = await this.read(trigger, signal);
    if (object === undefined) {
      await this.remove(
        existing.filter(({ origin }) => origin.operation === 'CREATE' || origin.operation === 'UPDATE'),
        signal,
      );
      return;
    }
    const policy = table().policies.get(key);
    const withoutSource = await this.removeOrphanedClones(existing, signal);
    if (live.program.form === 'cel') {
      for (const [rule, { sources }] of rules) if (await this.areSourcesGone(sources, signal)) withoutSource.add(rule);
    }
    for (const operation of ['CREATE', 'UPDATE'] as const) {
      const chosen =
        policy?.watched.filter(
          (rule) =>
            isSynchronized(rule) && rules.get(rule.name)?.operation === operation && !withoutSource.has(rule.name),
        ) ?? [];
      if (policy && chosen.length > 0)
        await this.options.apply(policy, { context: { operation, object }, rules: chosen }, signal);
    }
  }

  /**
   * Removes clones whose source is gone according to the API server. Returns the rules that have nothing left to clone.
   */
  private async removeOrphanedClones(existing: readonly Downstream[], signal: AbortSignal): Promise<Set<string>> {
    const rules = new Set<string>();
    for (const downstream of existing) {
      const { source, rule, policy } = downstream.origin;
      if (source === undefined || !(await this.isSourceGone(source, signal))) continue;
      await this.remove([downstream], signal);
      const spec = this.options
        .table()
        .policies.get(policy)
        ?.watched.find(({ name }) => name === rule)?.spec;
      if (spec?.generate?.clone) rules.add(rule);
    }
    return rules;
  }

  /** A policy of expressions reads its sources itself, and cannot be evaluated without them. */
  private async areSourcesGone(sources: ReadonlySet<string>, signal: AbortSignal): Promise<boolean> {
    for (const source of sources) if (source === '' || !(await this.isSourceGone(source, signal))) return false;
    return true;
  }

  private async isSourceGone(source: string, signal: AbortSignal): Promise<boolean> {
    const [name = '', namespace = '', kind = '', version = '', group = ''] = source.split('/').reverse();
    const type = await this.options.discovery.byKind({ group, version, kind }, { signal });
    return type !== undefined && this.isGone(type, { name, namespace }, signal);
  }

  private async remove(downstream: readonly Downstream[], signal: AbortSignal): Promise<void> {
    for (const { type, object, origin } of downstream) {
      if (await this.options.writer.remove(type, object, signal))
        this.options.recorder.did(origin.policy, 'removed', object);
    }
  }

  private async read(
    { apiVersion, kind, namespace, name, uid }: TriggerIdentity,
    signal: AbortSignal,
  ): Promise<KubeObject | undefined> {
    const { discovery, client } = this.options;
    const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
    const gvk = { group: group!, version: version!, kind };
    const type = await discovery.byKind(gvk, { signal });
    // Without its kind, nothing is known about the trigger; it must not count as deleted.
    if (!type) throw new Error(`the server has no kind ${renderGvk(gvk)}`);
    try {
      const key = { name, ...(type.namespaced ? { namespace } : {}) };
      const object = await client.get<KubeObject>(type, key, { signal });
      return object.metadata.uid === uid ? object : undefined;
    } catch (thrown) {
      if (isKubeError(thrown, 'kube-not-found')) return undefined;
      throw thrown;
    }
  }

  private async isPolicyGone(key: string, signal: AbortSignal): Promise<boolean> {
    const policy = parsePolicyKey(key);
    return policy === undefined ? false : this.isGone(policy.type, policy, signal);
  }

  /** Reads from the API server: a stale cache must not delete anything. */
  private async isGone(type: ResourceType, { name, namespace }: ObjectKey, signal: AbortSignal): Promise<boolean> {
    try {
      await this.options.client.get(type, { name, ...(type.namespaced ? { namespace } : {}) }, { signal });
      return false;
    } catch (thrown) {
      // If the kind itself is gone, the response names no object and says nothing about this one.
      if (isKubeError(thrown, 'kube-not-found')) return thrown.details?.name !== undefined;
      throw thrown;
    }
  }
}

const goesWithPolicy = ({ origin }: Downstream): boolean => origin.goesWithPolicy === true;
