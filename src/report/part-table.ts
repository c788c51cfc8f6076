import type { Leaf } from './chunk-tree.ts';
import { policyOf, reportName } from './names.ts';
import { reportedStatuses } from './result.ts';
import { noRow } from './row-store.ts';

/** The desired content of one report object. */
export interface ReportPart extends Leaf {
  /** `namespace/name`, or the name of a ClusterPolicyReport. */
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  /** The policy's key; absent where a report holds all policies. */
  readonly policy: string | undefined;
  readonly counts: number[];
  /** Number of results that only admission can give; they must be read back after a restart. */
  fromAdmission: number;
}

/** The parts of all reports, by number and by the key of their object. */
export class PartTable {
  private readonly parts: (ReportPart | undefined)[] = [];
  private readonly free: number[] = [];
  private readonly byKey = new Map<string, ReportPart>();

  constructor(private readonly onChange: (key: string) => void) {}

  get size(): number {
    return this.byKey.size;
  }

  at(id: number): ReportPart {
    return this.parts[id]!;
  }

  /** A half without results is a node in a tree and not an object. */
  get(key: string): ReportPart | undefined {
    const part = this.byKey.get(key);
    return part && part.count > 0 ? part : undefined;
  }

  values(): IterableIterator<ReportPart> {
    return this.byKey.values();
  }

  add(namespace: string, policy: string | undefined, path: string): ReportPart {
    const name = reportName({ namespace, policy: policy === undefined ? undefined : policyOf(policy), chunk: path });
    const key = namespace === '' ? name : `${namespace}/${name}`;
    const id = this.free.pop() ?? this.parts.length;
    const empty = { bytes: 0, count: 0, sumA: 0, sumB: 0, firstRow: noRow, fromAdmission: 0, parent: undefined };
    const part = { id, path, key, namespace, name, policy, counts: reportedStatuses.map(() => 0), ...empty };
    this.parts[id] = part;
    this.byKey.set(key, part);
    this.onChange(key);
    return part;
  }

  remove(part: ReportPart): void {
    this.parts[part.id] = undefined;
    this.free.push(part.id);
    this.byKey.delete(part.key);
    this.onChange(part.key);
  }
}
