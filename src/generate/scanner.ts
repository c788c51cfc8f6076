import { ownerLabel } from '../api/index.ts';
import { backoffMs, type Clock, errorMessage, type Logger } from '../base/index.ts';
import type { KubeClient, ResourceType } from '../kube/index.ts';
import { gvkOf, type KubeObject, renderGvr } from '../object/index.ts';
import type { PolicyProgram } from '../policy/index.ts';
import type { PolicyMark } from './checkpoint.ts';
import { triggerIdentityOf } from './origin.ts';
import type { PendingTrigger } from './pending.ts';
import type { Mark } from './progress.ts';
import type { GeneratingPolicy, RuleTable } from './rule-table.ts';
import { actsOnExisting } from './rules.ts';
import { type Beginning, type CutOff, creationOf, isWithin, lastChangeOf, missedTrigger } from './trigger.ts';
import { createdAtMs } from './writes.ts';

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
  readonly since: (rule: string) => Beginning;
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
    const { policies, others, types } = table();
    // What they have not heard of was no trigger for them: a rule they get later is not as old as they are.
    for (const program of others) marks.set(uidOf(program), { revision: revisionOf(program) });
    for (const policy of policies.values()) {
      const uid = uidOf(policy.program);
      const before = marks.get(uid);
      const revision = revisionOf(policy.program);
      if (before?.revision === revision) continue;
      const pending: Record<string, Mark> = {};
      for (const [id, type] of types) {
        const known = heard(type);
        if (known && policy.watched.some((rule) => rule.concerns(type, ''))) pending[id] = known;
      }
      marks.set(uid, { revision, pending, since: sinceOf(policy, before) });
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
      const mark = marks.get(uidOf(policy.program));
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
    { revision, since = {} }: PolicyMark,
  ): { readonly search: Search; readonly finish: () => void } {
    const { marks, sinceMs, onScanned } = this.options;
    const uid = uidOf(policy.program);
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
    const begun = (rule: string) => {
      const beginning = since[rule] ?? lastChangeOf(policy.program.policy);
      return beginning.timeMs < sinceMs ? { timeMs: sinceMs } : beginning;
    };
    return { search: { policy, uid, since: begun, existing: new Set(existing), started }, finish };
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
    const { policy, since, existing, started } = search;
    const { installation, trigger } = this.options;
    if (object.metadata.labels?.[ownerLabel] === installation || object.metadata.deletionTimestamp !== undefined)
      return;
    const kind = gvkOf(object);
    const wanted = { CREATE: new Set<string>(), UPDATE: new Set<string>() };
    const isThere = isWithin(object, createdAtMs(object), heard);
    for (const rule of policy.watched) {
      if (!rule.concerns(kind, '')) continue;
      const asExisting = isThere ? 'CREATE' : undefined;
      const operation = existing.has(rule.name) ? asExisting : missedTrigger(object, since(rule.name), heard);
      if (operation) wanted[operation].add(rule.name);
    }
    const found = { policy: policy.program.key, type, identity: triggerIdentityOf(object) };
    for (const operation of ['CREATE', 'UPDATE'] as const) {
      const rules = wanted[operation];
      if (rules.size > 0) trigger({ ...found, occasion: { operation, object }, rules, done: started() });
    }
  }
}

const uidOf = ({ policy }: PolicyProgram): string => policy.metadata.uid ?? '';
const revisionOf = ({ policy }: PolicyProgram): string => String(policy.metadata.generation ?? '');

/**
 * A rule that is still to look at what it missed keeps its beginning, and may then see once more what it heard live
 * meanwhile; one that is new begins with the revision: what was written before is none of its triggers.
 */
function sinceOf({ program, watched }: GeneratingPolicy, before: PolicyMark | undefined): Record<string, Beginning> {
  const begun = before ? lastChangeOf(program.policy) : creationOf(program.policy);
  return Object.fromEntries(watched.map(({ name }) => [name, before?.since?.[name] ?? begun]));
}
