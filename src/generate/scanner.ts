import { ownerLabel } from '../api/index.ts';
import { backoffMs, type Clock, errorMessage, getOwn, type Logger, onAbort } from '../base/index.ts';
import type { KubeClient, ResourceType } from '../kube/index.ts';
import { gvkOf, type KubeObject, renderGvr } from '../object/index.ts';
import type { PolicyProgram } from '../policy/index.ts';
import type { PolicyPosition } from './checkpoint.ts';
import { triggerIdentityOf } from './origin.ts';
import type { PendingTrigger } from './pending.ts';
import type { WatchPosition } from './position-tracker.ts';
import type { GeneratingPolicy, RuleTable } from './rule-table.ts';
import { actsOnWrites, existingOperation } from './rules.ts';
import {
  type ActiveSince,
  type CutOff,
  creationOf,
  isSince,
  isWithin,
  lastChangeOf,
  missedTrigger,
} from './trigger.ts';
import { createdAtMs } from './writes.ts';

interface ScannerOptions {
  readonly client: Pick<KubeClient, 'pages'>;
  readonly table: () => RuleTable;
  /** By the policies' uid; kept in the checkpoint. */
  readonly positions: Map<string, PolicyPosition>;
  /** Nothing written before is a trigger. */
  readonly sinceMs: number;
  readonly installation: string;
  readonly trigger: (trigger: PendingTrigger) => void;
  /** Up to where a kind has been observed; undefined until its first list is complete. */
  readonly observed: (type: ResourceType) => WatchPosition | undefined;
  readonly room: (signal: AbortSignal) => Promise<void>;
  readonly onScanned: () => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Progress of the scan for one revision of a policy. */
interface PolicyScan {
  readonly uid: string;
  readonly revision: string;
  /** Kinds that are scanned completely. */
  readonly scannedKinds: Set<string>;
  isComplete: boolean;
  /** Triggers that were found and are not done. */
  outstanding: number;
}

/** The scan of one kind for one policy. */
interface KindScan {
  readonly policy: GeneratingPolicy;
  readonly policyScan: PolicyScan;
  readonly since: (rule: string) => ActiveSince;
  readonly existing: ReadonlySet<string>;
  readonly observed: CutOff;
}

/**
 * Scans existing objects for new and changed policies: objects written after the policy but before the watch knew the
 * policy and, with generateExisting, all objects. One pass over each kind serves all waiting policies.
 */
export class Scanner {
  private wake: () => void = () => {};
  private isWanted = true;
  /** By the policies' uid. */
  private readonly policyScans = new Map<string, PolicyScan>();

  constructor(private readonly options: ScannerOptions) {}

  /** Policies changed. From now on watches trigger them; schedules a scan of what was written before. */
  touch(): void {
    const { table, positions, observed } = this.options;
    const { policies, others, types } = table();
    // Policies without generating rules get a position too: a rule added later must not act on everything since the
    // policy's creation.
    for (const program of others) positions.set(uidOf(program), { revision: revisionOf(program) });
    for (const policy of policies.values()) {
      const uid = uidOf(policy.program);
      const before = positions.get(uid);
      const revision = revisionOf(policy.program);
      if (before?.revision === revision) continue;
      const pending: Record<string, WatchPosition> = {};
      for (const [id, type] of types) {
        const known = observed(type);
        if (known && mayMatchType(policy, type)) pending[id] = known;
      }
      positions.set(uid, { revision, pending, since: sinceOf(policy, before) });
    }
    this.isWanted = true;
    this.wake();
  }

  /** The first list of a kind is complete. For policies that waited for it, all its objects are existing objects. */
  firstListed(type: ResourceType, observed: WatchPosition): void {
    const { positions } = this.options;
    const id = renderGvr(type);
    for (const [uid, position] of positions) {
      if (position.pending && !position.pending[id])
        positions.set(uid, { ...position, pending: { ...position.pending, [id]: observed } });
    }
    this.isWanted = true;
    this.wake();
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.options;
    const unlink = onAbort(signal, () => this.wake());
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
        log.warn('scanning existing objects failed; retrying', { error: errorMessage(thrown) });
        await clock.sleep(backoffMs(failures++, { baseMs: 500, maxMs: 60_000 }), signal).catch(() => {});
      }
    }
    unlink();
  }

  private async scan(signal: AbortSignal): Promise<void> {
    const { table, positions } = this.options;
    const { policies, types } = table();
    const waiting = [...policies.values()].filter(({ program }) => positions.get(uidOf(program))?.pending);
    const failures: unknown[] = [];
    for (const [id, type] of types) {
      try {
        await this.scanType(id, type, waiting, signal);
      } catch (thrown) {
        // A kind that cannot be listed does not block the others.
        signal.throwIfAborted();
        failures.push(thrown);
      }
    }
    for (const policy of waiting) {
      const policyScan = this.policyScanOf(policy);
      policyScan.isComplete = [...types].every(
        ([id, type]) => policyScan.scannedKinds.has(id) || !mayMatchType(policy, type),
      );
      this.conclude(policyScan);
    }
    if (failures.length > 0) throw failures[0];
  }

  private policyScanOf({ program }: GeneratingPolicy): PolicyScan {
    const [uid, revision] = [uidOf(program), revisionOf(program)];
    const known = this.policyScans.get(uid);
    if (known?.revision === revision) return known;
    const policyScan = { uid, revision, scannedKinds: new Set<string>(), isComplete: false, outstanding: 0 };
    this.policyScans.set(uid, policyScan);
    return policyScan;
  }

  private conclude(policyScan: PolicyScan): void {
    const { positions, onScanned } = this.options;
    const { uid, revision, isComplete, outstanding } = policyScan;
    if (!isComplete || outstanding > 0 || this.policyScans.get(uid) !== policyScan) return;
    this.policyScans.delete(uid);
    if (positions.get(uid)?.revision !== revision) return;
    positions.set(uid, { revision });
    onScanned();
  }

  private async scanType(
    id: string,
    type: ResourceType,
    policies: readonly GeneratingPolicy[],
    signal: AbortSignal,
  ): Promise<void> {
    const { client, room } = this.options;
    const kindScans = policies.flatMap((policy) => (mayMatchType(policy, type) ? this.kindScansOf(id, policy) : []));
    if (kindScans.length === 0) return;
    for await (const page of client.pages<KubeObject>(type, { signal })) {
      await room(signal);
      for (const object of page.items) for (const kindScan of kindScans) this.scanObject(type, object, kindScan);
    }
    for (const { policyScan } of kindScans) policyScan.scannedKinds.add(id);
  }

  /** Empty if the kind is scanned already, or if its observed position is unknown; a scan follows the first list. */
  private kindScansOf(id: string, policy: GeneratingPolicy): readonly KindScan[] {
    const { positions, sinceMs } = this.options;
    const { program, watched } = policy;
    const policyScan = this.policyScanOf(policy);
    const position = positions.get(policyScan.uid);
    const observed = position?.revision === policyScan.revision ? position.pending?.[id] : undefined;
    if (!position || !observed || policyScan.scannedKinds.has(id)) return [];
    const since = (rule: string) => {
      const start = getOwn(position.since ?? {}, rule) ?? lastChangeOf(program.policy);
      return start.timeMs < sinceMs ? { timeMs: sinceMs } : start;
    };
    const existing = new Set(watched.filter((rule) => rule.actsOnExisting).map(({ name }) => name));
    return [{ policy, policyScan, since, existing, observed: { ...observed, handled: new Set(observed.handled) } }];
  }

  private scanObject(
    type: ResourceType,
    object: KubeObject,
    { policy, policyScan, since, existing, observed }: KindScan,
  ): void {
    const { installation, trigger } = this.options;
    if (object.metadata.labels?.[ownerLabel] === installation || object.metadata.deletionTimestamp !== undefined)
      return;
    const kind = { ...gvkOf(object), resource: type.resource };
    const wanted = { CREATE: new Set<string>(), UPDATE: new Set<string>() };
    // Objects older than the policy never trigger it live, whenever they were observed.
    const isThere =
      isWithin(object, createdAtMs(object), observed) || !isSince(creationOf(policy.program.policy), object);
    for (const rule of policy.watched) {
      if (!rule.mayMatchKind(kind, '')) continue;
      const asExisting = isThere ? existingOperation(rule, kind) : undefined;
      const isExisting = existing.has(rule.name);
      if (!isExisting && !actsOnWrites(policy.program)) continue;
      const operation = isExisting ? asExisting : missedTrigger(object, since(rule.name), observed);
      if (operation) wanted[operation].add(rule.name);
    }
    const found = { policy: policy.program.key, type, identity: triggerIdentityOf(object) };
    const done = () => {
      policyScan.outstanding--;
      this.conclude(policyScan);
    };
    for (const operation of ['CREATE', 'UPDATE'] as const) {
      const rules = wanted[operation];
      if (rules.size === 0) continue;
      policyScan.outstanding++;
      trigger({ ...found, context: { operation, object }, rules, done });
    }
  }
}

const mayMatchType = ({ watched }: GeneratingPolicy, type: ResourceType): boolean =>
  watched.some((rule) => rule.mayMatchKind(type, ''));

const uidOf = ({ policy }: PolicyProgram): string => policy.metadata.uid ?? '';
const revisionOf = ({ policy }: PolicyProgram): string => String(policy.metadata.generation ?? '');

/**
 * A rule with an unfinished scan keeps its start, and may see again what a watch showed meanwhile. A new rule starts
 * with this revision: earlier writes are not its triggers.
 */
function sinceOf(
  { program, watched }: GeneratingPolicy,
  before: PolicyPosition | undefined,
): Record<string, ActiveSince> {
  const start = before ? lastChangeOf(program.policy) : creationOf(program.policy);
  return Object.fromEntries(watched.map(({ name }) => [name, getOwn(before?.since ?? {}, name) ?? start]));
}
