import { errorMessage, isAbort, type Logger } from '../base/index.ts';
import {
  createInformer,
  type Discovery,
  type Informer,
  type KindFailure,
  type KubeClient,
  type ResourceType,
  withFailures,
} from '../kube/index.ts';
import { type KubeObject, keyOf, renderGvr } from '../object/index.ts';
import type { DownstreamIndex } from './downstream-index.ts';
import type { Origin } from './origin.ts';
import type { RuleTable } from './rule-table.ts';
import { isSynchronized } from './rules.ts';

interface SourceFollowerOptions {
  readonly client: KubeClient;
  readonly discovery: Pick<Discovery, 'byKind'>;
  readonly table: () => RuleTable;
  readonly index: DownstreamIndex;
  readonly sync: (origin: Origin) => void;
  /** Called when something appeared that a rule of the policy may have missed. */
  readonly retry: (policy: string) => void;
  /** Called when the objects of a kind cannot be listed or watched, or can be again. */
  readonly onFailure: () => void;
  readonly log: Logger;
}

/** A clone source; fields are undefined where a variable decides. */
interface CloneSource {
  readonly policy: string;
  readonly rule: string;
  /** In the form that discovery accepts. */
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly synchronize: boolean;
}

const fixed = (text: string | undefined) => (text === undefined || text.includes('{{') ? undefined : text);

/** The clone sources of all rules. */
function cloneSourcesOf({ policies }: RuleTable): readonly CloneSource[] {
  return [...policies.values()].flatMap(({ program, watched }) =>
    watched.flatMap((rule) => {
      const generate = rule.spec.generate;
      if (!generate) return [];
      const base = { policy: program.key, rule: rule.name, synchronize: isSynchronized(rule) };
      return [generate, ...(generate.foreach ?? [])].flatMap(({ apiVersion = '', kind = '', clone, cloneList }) => {
        const lists = (cloneList?.kinds ?? []).map((text) => ({
          ...base,
          kind: text,
          namespace: fixed(cloneList?.namespace),
          name: undefined,
        }));
        if (!clone?.name || kind.includes('{{')) return lists;
        const one = { kind: `${apiVersion}/${kind}`, namespace: fixed(clone.namespace), name: fixed(clone.name) };
        return [...lists, { ...base, ...one }];
      });
    }),
  );
}

interface FollowedSource {
  readonly informer: Informer<KubeObject>;
  readonly run: Promise<void>;
}

/**
 * Watches clone sources, metadata only. The content is read when it is cloned. What policies of expressions copy is known
 * only after their evaluation, so those sources are added then.
 */
export class SourceFollower {
  private readonly followed = new Map<string, FollowedSource>();
  /** Sources of synchronized copies that policies of expressions made. */
  private readonly copied = new Map<string, CloneSource>();
  private readonly failing = new Map<string, { readonly type: ResourceType; readonly failure: KindFailure }>();
  /** Each policy with the key of a watched source in the two maps above. Replaced when a refresh has ended. */
  private watched: readonly { readonly policy: string; readonly id: string }[] = [];
  private sources: readonly CloneSource[] = [];

  constructor(
    private readonly options: SourceFollowerOptions,
    private readonly signal: AbortSignal,
  ) {}

  /** Called when policies or kinds changed. */
  async refresh(): Promise<void> {
    const table = this.options.table();
    for (const [id, { policy }] of this.copied) if (!table.policies.has(policy)) this.copied.delete(id);
    const sources = [...cloneSourcesOf(table), ...this.copied.values()];
    this.sources = sources;
    const watched: { readonly policy: string; readonly id: string }[] = [];
    for (const source of sources) {
      const id = await this.follow(source);
      if (id !== undefined) watched.push({ policy: source.policy, id });
    }
    // A later refresh has begun meanwhile and knows newer policies.
    if (this.sources !== sources) return;
    this.watched = watched;
    // A kind that failed before its policy was known here is reported now.
    if (this.failing.size > 0) this.options.onFailure();
  }

  /** Kinds that rules of the policy clone from and that cannot be listed or watched now. */
  failuresOf(policy: string): readonly { readonly type: ResourceType; readonly failure: KindFailure }[] {
    return this.watched.flatMap((source) => {
      const found = source.policy === policy ? this.failing.get(source.id) : undefined;
      return found ? [found] : [];
    });
  }

  /** An object was copied, and the copy is synchronized: follows its source from now on. */
  copiedFrom({ apiVersion, kind, metadata }: KubeObject, origin: Origin): void {
    const { name = '', namespace = '', resourceVersion } = metadata;
    const { policy, rule } = origin;
    const source = { policy, rule, kind: `${apiVersion}/${kind}`, namespace, name, synchronize: true };
    const key = `${policy} ${rule} ${source.kind} ${namespace}/${name}`;
    if (!this.copied.has(key)) {
      this.copied.set(key, source);
      this.sources = [...this.sources, source];
    }
    // It may have changed between the copy and the first list, which tells of no change.
    const check = async () => {
      const id = await this.follow(source);
      const informer = id === undefined ? undefined : this.followed.get(id)?.informer;
      if (!informer) return;
      this.watched = [...this.watched.filter((one) => one.policy !== policy || one.id !== id), { policy, id: id! }];
      if (informer.hasSynced || this.failing.has(id!)) return;
      await informer.synced(this.signal);
      const found = informer.get(keyOf({ metadata }));
      if (found?.metadata.resourceVersion !== resourceVersion) this.options.sync(origin);
    };
    check().catch((thrown) => {
      if (!this.signal.aborted)
        this.options.log.warn('cannot watch the source of a copy', { error: errorMessage(thrown) });
    });
  }

  async stopped(): Promise<void> {
    await Promise.all([...this.followed.values()].map(({ run }) => run));
  }

  /** Watches the kind of a source. Undefined when the kind is not served. */
  private async follow({ kind, namespace }: CloneSource): Promise<string | undefined> {
    const { discovery, log, onFailure } = this.options;
    const type = await discovery.byKind(kind, { signal: this.signal });
    if (!type) return undefined;
    const where = type.namespaced ? namespace : undefined;
    const id = `${renderGvr(type)} ${where ?? ''}`;
    if (this.followed.has(id)) return id;
    const client = withFailures(this.options.client, (failure) => {
      if (failure?.message === this.failing.get(id)?.failure.message) return;
      if (failure) this.failing.set(id, { type, failure });
      else this.failing.delete(id);
      onFailure();
    });
    const informer = createInformer<KubeObject>({ client, type, namespace: where, metadataOnly: true, log });
    const changed = (object: KubeObject) => this.changed(type.kind, object);
    informer.addHandler({
      onAdd: ({ stored, isInitial }) => !isInitial && changed(stored),
      onUpdate: ({ stored }) => changed(stored),
      onDelete: ({ stored }) => changed(stored),
    });
    const run = informer.run(this.signal).catch((thrown) => {
      if (!this.signal.aborted && !isAbort(thrown)) throw thrown;
    });
    this.followed.set(id, { informer, run });
    return id;
  }

  private changed(kind: string, { metadata }: KubeObject): void {
    const { index, sync, retry } = this.options;
    for (const source of this.sources) {
      const lastWord = source.kind.slice(source.kind.lastIndexOf('/') + 1);
      if (lastWord !== kind) continue;
      if (source.namespace !== undefined && source.namespace !== (metadata.namespace ?? '')) continue;
      if (source.name !== undefined && source.name !== metadata.name) continue;
      retry(source.policy);
      if (!source.synchronize) continue;
      for (const { origin } of index.ofPolicy(source.policy)) if (origin.rule === source.rule) sync(origin);
    }
  }
}
