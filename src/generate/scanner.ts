import { ownerLabel } from '../api/index.ts';
import { backoffMs, type Clock, errorMessage, type Logger } from '../base/index.ts';
import type { KubeClient, ResourceType } from '../kube/index.ts';
import { gvkOf, type KubeObject, renderGvr } from '../object/index.ts';
import type { PolicyMark } from './checkpoint.ts';
import { triggerIdentityOf } from './origin.ts';
import type { PendingTrigger } from './pending.ts';
import type { Mark } from './progress.ts';
import type { GeneratingPolicy, RuleTable } from './rule-table.ts';
import { actsOnExisting } from './rules.ts';
import { type CutOff, isSince, isWithin, missedTrigger } from './trigger.ts';
import { createdAtMs, lastWriteOf } from './writes.ts';

export interface ScannerOptions {
  readonly client: Pick<KubeClient, 'pages'>;
  readonly table: () => RuleTable;
  /** By the policies' uid; kept in the checkpoint. */
  readonly marks: Map<string, PolicyMark>;
  /** Nothing written before is a trigger. */
  readonly sinceMs: number;
  readonly installation: string;
  readonly trigger: (trigger: PendingTrigger) => void;
  /** Up to where a kind has been heard by now; undefined as long as its first list is under way. */
  readonly heard: (type: ResourceType) => Mark | undefined;
  /** Resolves when the kind is followed live. */
  readonly followed: (type: ResourceType, signal: AbortSignal) => Promise<void>;
  readonly room: (signal: AbortSignal) => Promise<void>;
  readonly onScanned: () => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What of one policy the scan looks for. */
interface Search {
  readonly policy: GeneratingPolicy;
  readonly uid: string;
  readonly sinceMs: number;
  readonly existing: ReadonlySet<string>;
  readonly started: () => () => void;
}

/**
 * Looks at what is there for policies that are new or changed: objects written after the policy but before it was
 * heard of, and with generateExisting all of them. One pass over each kind serves every policy that waits.
 */
export class Scanner {
  private wake: () => void = () => {};
  private isWanted = true;

  constructor(private readonly options: ScannerOptions) {}

  /** Policies have changed: from now on they hear for themselves, and what was before is looked at. */
  touch(): void {
    const { table, marks, heard } = this.options;
    const { policies, types } = table();
    for (const policy of policies.values()) {
      const { uid = '' } = policy.program.policy.metadata;
      const before = marks.get(uid);
      const revision = revisionOf(policy);
      if (before?.revision === revision) continue;
      const pending: Record<string, Mark> = {};
      for (const [id, type] of types) {
        const known = before?.pending?.[id] ?? heard(type);
        if (known && policy.watched.some((rule) => rule.concerns(type, ''))) pending[id] = known;
      }
      marks.set(uid, { revision, pending, isFirst: before === undefined || before.isFirst === true });
    }
    this.isWanted = true;
    this.wake();
  }

  /** The first list of a kind is complete: to the policies that waited for it, all of it was before them. */
  firstHeard(type: ResourceType, heard: Mark): void {
    const { marks } = this.options;
    const id = renderGvr(type);
    for (const [uid, mark] of marks) {
      if (mark.pending && !mark.pending[id]) marks.set(uid, { ...mark, pending: { ...mark.pending, [id]: heard } });
    }
    this.isWanted = true;
    this.wake();
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.options;
    const onAbort = () => this.wake();
    signal.addEventListener('abort', onAbort, { once: true });
    let failures = 0;
    while (!signal.aborted) {
      if (!this.isWanted) await new Promise<void>((resolve) => (this.wake = resolve));
      if (signal.aborted) break;
      this.isWanted = false;
      try {
        await this.scan(signal);
        failures = 0;
      } catch (thrown) {
        if (signal.aborted) break;
        this.isWanted = true;
        log.warn('existing objects could not be looked at', { error: errorMessage(thrown) });
        await clock.sleep(backoffMs(failures++, { baseMs: 500, maxMs: 60_000 }), signal).catch(() => {});
      }
    }
    signal.removeEventListener('abort', onAbort);
  }

  private async scan(signal: AbortSignal): Promise<void> {
    const { table, marks } = this.options;
    const { policies, types } = table();
    const finishes: (() => void)[] = [];
    const searches: Search[] = [];
    for (const policy of policies.values()) {
      const mark = marks.get(policy.program.policy.metadata.uid ?? '');
      if (!mark?.pending) continue;
      const { search, finish } = this.searchFor(policy, mark);
      searches.push(search);
      finishes.push(finish);
    }
    if (searches.length === 0) return;
    for (const type of types.values()) {
      const concerned = searches.filter(({ policy }) => policy.watched.some((rule) => rule.concerns(type, '')));
      if (concerned.length > 0) await this.scanType(type, concerned, signal);
    }
    for (const finish of finishes) finish();
  }

  private searchFor(
    policy: GeneratingPolicy,
    { revision, isFirst }: PolicyMark,
  ): { readonly search: Search; readonly finish: () => void } {
    const { marks, sinceMs, onScanned } = this.options;
    const object = policy.program.policy;
    const { uid = '' } = object.metadata;
    const begunMs = isFirst ? createdAtMs(object) : lastWriteOf(object).timeMs;
    const existing = policy.watched.filter((rule) => actsOnExisting(policy.program, rule)).map(({ name }) => name);
    let outstanding = 1;
    const finish = () => {
      if (--outstanding > 0 || marks.get(uid)?.revision !== revision) return;
      marks.set(uid, { revision });
      onScanned();
    };
    const started = () => {
      outstanding++;
      return finish;
    };
    const search = { policy, uid, sinceMs: Math.max(begunMs, sinceMs), existing: new Set(existing), started };
    return { search, finish };
  }

  private async scanType(type: ResourceType, searches: readonly Search[], signal: AbortSignal): Promise<void> {
    const { client, followed, room } = this.options;
    await followed(type, signal);
    const id = renderGvr(type);
    const looking = searches.flatMap((search) => {
      const heard = this.options.marks.get(search.uid)?.pending?.[id];
      if (heard) return [{ search, heard: { ...heard, handled: new Set(heard.handled) } }];
      // It cannot be said yet what was before: this search does not end, another one follows the first list.
      search.started();
      return [];
    });
    for await (const page of client.pages<KubeObject>(type, { signal })) {
      await room(signal);
      for (const object of page.items) for (const { search, heard } of looking) this.look(type, object, search, heard);
    }
  }

  private look(type: ResourceType, object: KubeObject, search: Search, heard: CutOff): void {
    const { policy, sinceMs, existing, started } = search;
    const { installation, trigger } = this.options;
    if (object.metadata.labels?.[ownerLabel] === installation || object.metadata.deletionTimestamp !== undefined)
      return;
    const kind = gvkOf(object);
    const concerned = policy.watched.filter((rule) => rule.concerns(kind, ''));
    const found = { policy: policy.program.key, type, identity: triggerIdentityOf(object) };
    const asExisting = concerned.filter(({ name }) => existing.has(name)).map(({ name }) => name);
    if (asExisting.length > 0 && isWithin(object, createdAtMs(object), heard))
      trigger({ ...found, occasion: { operation: 'CREATE', object }, rules: new Set(asExisting), done: started() });
    const operation = missedTrigger(object, sinceMs, heard);
    if (operation === undefined || !isSince(policy.program.policy, object)) return;
    const others = concerned.filter(({ name }) => !existing.has(name)).map(({ name }) => name);
    if (others.length > 0)
      trigger({ ...found, occasion: { operation, object }, rules: new Set(others), done: started() });
  }
}

const revisionOf = ({ program }: GeneratingPolicy): string => String(program.policy.metadata.generation ?? '');
