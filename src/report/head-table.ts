import type { ResultHead } from './result.ts';
import { hashText, mix } from './text-hash.ts';

/** What the results of one rule share, with values derived from it once. */
interface Head {
  readonly head: ResultHead;
  /** Also its sort position. */
  readonly json: string;
  readonly bytes: number;
  readonly hash: number;
  /** Hash of policy and rule only: decides which part of a report a result belongs to. */
  readonly ruleHash: number;
}

/** Heads by small numbers, each held as long as a result uses it. */
export class HeadTable {
  private readonly heads: (Head | undefined)[] = [];
  private readonly users: number[] = [];
  private readonly ids = new Map<string, number>();
  private readonly free: number[] = [];
  // The same object is passed repeatedly for the same rule.
  private readonly remembered = new WeakMap<ResultHead, string>();

  get(id: number): Head {
    return this.heads[id]!;
  }

  hold(head: ResultHead): number {
    const json = this.jsonOf(head);
    const known = this.ids.get(json);
    if (known !== undefined) {
      this.users[known]!++;
      return known;
    }
    const id = this.free.pop() ?? this.heads.length;
    const { a, b } = hashText(json);
    this.heads[id] = {
      head,
      json,
      bytes: Buffer.byteLength(JSON.stringify(head)),
      hash: mix(a, b),
      ruleHash: hashText(JSON.stringify([head.policy, head.rule])).a,
    };
    this.users[id] = 1;
    this.ids.set(json, id);
    return id;
  }

  release(id: number): void {
    if (--this.users[id]! > 0) return;
    this.ids.delete(this.heads[id]!.json);
    this.heads[id] = undefined;
    this.free.push(id);
  }

  private jsonOf(head: ResultHead): string {
    let json = this.remembered.get(head);
    if (json === undefined) {
      json = JSON.stringify([head.policy, head.rule, head.category, head.severity, head.scored, head.source]);
      this.remembered.set(head, json);
    }
    return json;
  }
}
