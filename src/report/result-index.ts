import { ChunkTree, halfOf, type Leaf, type Place } from './chunk-tree.ts';
import { HeadTable } from './head-table.ts';
import { PartTable, type ReportPart } from './part-table.ts';
import {
  type ReportSummary,
  type ResourceReference,
  type ResultContent,
  type ResultHead,
  reportedStatuses,
} from './result.ts';
import { noRow, RowStore } from './row-store.ts';
import { hashText, mix, renderHash, type TextHash } from './text-hash.ts';
import { TextTable } from './text-table.ts';

/** A resource that has, or may get, results. */
export interface IndexedResource {
  readonly id: number;
  readonly reference: ResourceReference;
  /** Hash of its name, not its uid: a recreated resource stays in the same part of a report. */
  readonly placeHash: number;
  /** Hash of all that reports contain of it. */
  readonly contentHash: TextHash;
  readonly jsonBytes: number;
  firstRow: number;
  /** The kinds of controllers that all its results were found with; undefined if not all with the same. */
  controllers?: string | undefined;
}

export interface IndexedResult extends Omit<ResultContent, 'process' | 'properties' | 'seconds'> {
  readonly properties: Readonly<Record<string, string>>;
  readonly resource: ResourceReference;
  readonly seconds: number;
}

interface ResultIndexOptions {
  /** One report per policy and namespace; false for one per namespace. */
  readonly isSplit: boolean;
  readonly targetBytes?: number;
  readonly nowSeconds: () => number;
  /**
   * Called with the key of every object whose contents changed or that must be created or deleted, and the time of the
   * cause.
   */
  readonly onChange: (key: string, sinceMs: number) => void;
}

/** The results of one resource for the policies in scope. */
export interface ResourceResults {
  readonly isInScope: (policy: string, rule: string) => boolean;
  readonly contents: readonly ResultContent[];
  /** When the change that caused these results was seen. */
  readonly sinceMs: number;
}

/** Selects results to remove: both functions must return true, first for the rule, then for the resource. */
interface ResultRemoval {
  readonly isOfRule: (head: ResultHead) => boolean;
  readonly isGone: (head: ResultHead, resource: ResourceReference, isFromAdmission: boolean) => boolean;
  readonly sinceMs: number;
}

const defaultTargetBytes = 256 * 1024;

// The rest of a result's JSON: field names, the result itself and its time.
const frameBytes =
  '{"result":"error","message":,"timestamp":{"seconds":1234567890,"nanos":0},"resources":[],"properties":},'.length;
const admissionFlag = 8;

/**
 * All results, by report and by resource, as numbers and shared texts. It knows nothing of policies or clusters: it
 * stores what must be written and says which objects changed.
 */
export class ResultIndex {
  private readonly rows = new RowStore();
  private readonly texts = new TextTable();
  private readonly heads = new HeadTable();
  private readonly resources: (IndexedResource | undefined)[] = [];
  private readonly freeResources: number[] = [];
  private readonly reports = new Map<string, ChunkTree<ReportPart>>();
  private readonly parts: PartTable;
  /** Keys of objects changed by the current operation. */
  private readonly changed = new Set<string>();
  readonly totals: number[] = reportedStatuses.map(() => 0);

  constructor(private readonly options: ResultIndexOptions) {
    this.parts = new PartTable((key) => this.changed.add(key));
  }

  get size(): number {
    return this.rows.size;
  }

  get partCount(): number {
    return this.parts.size;
  }

  addResource(reference: ResourceReference): IndexedResource {
    const { apiVersion, kind, namespace = '', name } = reference;
    const json = JSON.stringify(reference);
    const id = this.freeResources.pop() ?? this.resources.length;
    const resource: IndexedResource = {
      id,
      reference,
      placeHash: hashText(JSON.stringify([apiVersion, kind, namespace, name])).a,
      contentHash: hashText(json),
      jsonBytes: Buffer.byteLength(json),
      firstRow: noRow,
    };
    this.resources[id] = resource;
    return resource;
  }

  removeResource(resource: IndexedResource, sinceMs: number): void {
    this.put(resource, { isInScope: () => true, contents: [], sinceMs });
    this.resources[resource.id] = undefined;
    this.freeResources.push(resource.id);
  }

  /** Replaces the resource's results for the policies in scope. True when anything changed. */
  put(resource: IndexedResource, { isInScope, contents, sinceMs }: ResourceResults): boolean {
    const stale = new Map<number, number>();
    for (let row = resource.firstRow; row !== noRow; row = this.rows.nextOfResource[row]!) {
      const { head } = this.heads.get(this.rows.head[row]!);
      if (isInScope(head.policy, head.rule)) stale.set(this.rows.head[row]!, row);
    }
    let isChanged = false;
    for (const content of contents) {
      const head = this.heads.hold(content.head);
      const present = stale.get(head);
      if (present === undefined) this.insert(resource, head, content);
      else {
        stale.delete(head);
        this.heads.release(head);
        if (!this.rewrite(present, content)) continue;
      }
      isChanged = true;
    }
    for (const row of stale.values()) this.remove(resource, row);
    this.notifyChanges(sinceMs);
    return isChanged || stale.size > 0;
  }

  /** A generator, so that the caller can yield to the event loop. Changes made meanwhile are taken into account. */
  *removeWhere({ isOfRule, isGone, sinceMs }: ResultRemoval): Generator<void> {
    const { rows } = this;
    let removed = 0;
    for (let row = 0; row < rows.end; row++) {
      if (row % 50_000 === 49_999) yield;
      const id = rows.head[row]!;
      if (id === noRow) continue;
      const { head } = this.heads.get(id);
      if (!isOfRule(head)) continue;
      const resource = this.resources[rows.resource[row]!]!;
      if (!isGone(head, resource.reference, (rows.status[row]! & admissionFlag) !== 0)) continue;
      this.remove(resource, row);
      this.notifyChanges(sinceMs);
      if (++removed % 500 === 0) yield;
    }
  }

  private notifyChanges(sinceMs: number): void {
    for (const key of this.changed) this.options.onChange(key, sinceMs);
    this.changed.clear();
  }

  /** The desired content of the object with this key; undefined when it must not exist. */
  part(key: string): ReportPart | undefined {
    return this.parts.get(key);
  }

  allParts(): IterableIterator<ReportPart> {
    return this.parts.values();
  }

  summaryOf({ counts }: Pick<ReportPart, 'counts'>): ReportSummary {
    return Object.fromEntries(reportedStatuses.map((status, i) => [status, counts[i]!])) as ReportSummary;
  }

  /** In an order that depends only on the results. Those with equal properties share them. */
  *resultsOf(part: ReportPart): Generator<IndexedResult> {
    const { rows, texts } = this;
    const known = new Map<number, IndexedResult['properties']>();
    for (const row of this.rowsInOrder(part)) {
      const id = rows.properties[row]!;
      let properties = known.get(id);
      if (!properties) known.set(id, (properties = JSON.parse(texts.text(id)) as IndexedResult['properties']));
      yield {
        head: this.heads.get(rows.head[row]!).head,
        resource: this.resources[rows.resource[row]!]!.reference,
        result: reportedStatuses[rows.status[row]! & 7]!,
        message: texts.text(rows.message[row]!),
        properties,
        seconds: rows.seconds[row]!,
      };
    }
  }

  private rowsInOrder(part: ReportPart): readonly number[] {
    const { rows } = this;
    const ordered: { readonly row: number; readonly json: string; readonly reference: ResourceReference }[] = [];
    for (let row = part.firstRow; row !== noRow; row = rows.nextInLeaf[row]!) {
      const { json } = this.heads.get(rows.head[row]!);
      ordered.push({ row, json, reference: this.resources[rows.resource[row]!]!.reference });
    }
    ordered.sort(
      (x, y) =>
        compareText(x.reference.namespace ?? '', y.reference.namespace ?? '') ||
        compareText(x.reference.kind, y.reference.kind) ||
        compareText(x.reference.name, y.reference.name) ||
        compareText(x.reference.apiVersion, y.reference.apiVersion) ||
        compareText(x.json, y.json),
    );
    return ordered.map(({ row }) => row);
  }

  /** What scans found, in any order. */
  *scannedResultsOf({ firstRow }: IndexedResource): Generator<ResultContent> {
    const { rows, texts } = this;
    for (let row = firstRow; row !== noRow; row = rows.nextOfResource[row]!) {
      const status = rows.status[row]!;
      if ((status & admissionFlag) !== 0) continue;
      yield {
        head: this.heads.get(rows.head[row]!).head,
        result: reportedStatuses[status]!,
        message: texts.text(rows.message[row]!),
        properties: texts.text(rows.properties[row]!),
        process: 'background',
        seconds: rows.seconds[row]!,
      };
    }
  }

  /** Equal for equal contents, whatever their times; stored in the annotation. */
  fingerprintOf({ count, sumA, sumB }: Pick<Leaf, 'count' | 'sumA' | 'sumB'>): string {
    return `v1-${count}-${renderHash(sumA, sumB)}`;
  }

  private insert(resource: IndexedResource, head: number, content: ResultContent): void {
    const { rows } = this;
    const row = rows.add();
    rows.head[row] = head;
    rows.resource[row] = resource.id;
    rows.message[row] = this.texts.hold(content.message);
    rows.properties[row] = this.texts.hold(content.properties);
    this.describe(row, content);
    rows.nextOfResource[row] = resource.firstRow;
    resource.firstRow = row;
    const tree = this.treeOf(resource, head);
    const leaf = tree.find(this.placeOf(row));
    this.link(row, leaf);
    this.changed.add(leaf.key);
    tree.settle(leaf);
  }

  /** False when only the time would change. */
  private rewrite(row: number, content: ResultContent): boolean {
    const { rows, texts } = this;
    if (
      rows.status[row] === statusOf(content) &&
      texts.text(rows.message[row]!) === content.message &&
      texts.text(rows.properties[row]!) === content.properties
    )
      return false;
    const leaf = this.parts.at(rows.leaf[row]!);
    this.unlink(row, leaf);
    texts.release(rows.message[row]!);
    texts.release(rows.properties[row]!);
    rows.message[row] = texts.hold(content.message);
    rows.properties[row] = texts.hold(content.properties);
    this.describe(row, content);
    this.link(row, leaf);
    this.changed.add(leaf.key);
    this.treeOf(this.resources[rows.resource[row]!]!, rows.head[row]!).settle(leaf);
    return true;
  }

  private describe(row: number, content: ResultContent): void {
    const { rows, texts } = this;
    const head = this.heads.get(rows.head[row]!);
    const resource = this.resources[rows.resource[row]!]!;
    const [message, properties] = [rows.message[row]!, rows.properties[row]!];
    rows.status[row] = statusOf(content);
    rows.seconds[row] = content.seconds ?? this.options.nowSeconds();
    const status = rows.status[row]!;
    rows.hashA[row] = [resource.contentHash.a, head.hash, texts.hashA(message), texts.hashA(properties)].reduce(
      mix,
      status,
    );
    rows.hashB[row] = [head.hash, texts.hashB(properties), texts.hashB(message), resource.contentHash.b].reduce(
      mix,
      ~status,
    );
    // The measured text escapes a property's own quotes: the sum is never too small.
    rows.bytes[row] =
      frameBytes + head.bytes + resource.jsonBytes + texts.jsonBytes(message) + texts.jsonBytes(properties);
  }

  private remove(resource: IndexedResource, row: number): void {
    const { rows } = this;
    const leaf = this.parts.at(rows.leaf[row]!);
    const tree = this.treeOf(resource, rows.head[row]!);
    this.unlink(row, leaf);
    if (resource.firstRow === row) resource.firstRow = rows.nextOfResource[row]!;
    else {
      let before = resource.firstRow;
      while (rows.nextOfResource[before] !== row) before = rows.nextOfResource[before]!;
      rows.nextOfResource[before] = rows.nextOfResource[row]!;
    }
    const head = rows.head[row]!;
    this.texts.release(rows.message[row]!);
    this.texts.release(rows.properties[row]!);
    rows.remove(row);
    this.changed.add(leaf.key);
    tree.settle(leaf);
    if (tree.isEmpty) {
      for (const empty of tree.leaves()) this.parts.remove(empty);
      this.reports.delete(this.reportKey(resource, this.heads.get(head).head.policy));
    }
    this.heads.release(head);
  }

  private link(row: number, leaf: ReportPart): void {
    const { rows } = this;
    rows.leaf[row] = leaf.id;
    rows.previousInLeaf[row] = noRow;
    rows.nextInLeaf[row] = leaf.firstRow;
    if (leaf.firstRow !== noRow) rows.previousInLeaf[leaf.firstRow] = row;
    leaf.firstRow = row;
    this.account(row, leaf, 1);
  }

  private unlink(row: number, leaf: ReportPart): void {
    const { rows } = this;
    const [next, previous] = [rows.nextInLeaf[row]!, rows.previousInLeaf[row]!];
    if (next !== noRow) rows.previousInLeaf[next] = previous;
    if (previous !== noRow) rows.nextInLeaf[previous] = next;
    else leaf.firstRow = next;
    this.account(row, leaf, -1);
  }

  private account(row: number, leaf: ReportPart, sign: 1 | -1): void {
    const { rows } = this;
    const status = rows.status[row]!;
    leaf.count += sign;
    leaf.bytes += sign * rows.bytes[row]!;
    leaf.sumA = (leaf.sumA + sign * (rows.hashA[row]! | 0)) | 0;
    leaf.sumB = (leaf.sumB + sign * (rows.hashB[row]! | 0)) | 0;
    leaf.counts[status & 7]! += sign;
    this.totals[status & 7]! += sign;
    if ((status & admissionFlag) !== 0) leaf.fromAdmission += sign;
  }

  private placeOf(row: number): Place {
    return {
      resourceHash: this.resources[this.rows.resource[row]!]!.placeHash,
      ruleHash: this.heads.get(this.rows.head[row]!).ruleHash,
    };
  }

  private reportKey({ reference: { namespace = '' } }: IndexedResource, policy: string): string {
    return this.options.isSplit ? `${namespace}\0${policy}` : namespace;
  }

  private treeOf(resource: IndexedResource, head: number): ChunkTree<ReportPart> {
    const { policy } = this.heads.get(head).head;
    const id = this.reportKey(resource, policy);
    let tree = this.reports.get(id);
    if (!tree) {
      const namespace = resource.reference.namespace ?? '';
      tree = new ChunkTree({
        targetBytes: this.options.targetBytes ?? defaultTargetBytes,
        newLeaf: (path) => this.parts.add(namespace, this.options.isSplit ? policy : undefined, path),
        divide: (from, zero, one) =>
          this.moveAll(from, (row) => (halfOf(this.placeOf(row), from.path.length) ? one : zero)),
        unite: (zero, one, into) => {
          this.moveAll(zero, () => into);
          this.moveAll(one, () => into);
        },
      });
      this.reports.set(id, tree);
    }
    return tree;
  }

  private moveAll(from: ReportPart, targetOf: (row: number) => ReportPart): void {
    for (let row = from.firstRow; row !== noRow; ) {
      const next = this.rows.nextInLeaf[row]!;
      this.unlink(row, from);
      this.link(row, targetOf(row));
      row = next;
    }
    this.parts.remove(from);
  }
}

function statusOf({ result, process }: ResultContent): number {
  return reportedStatuses.indexOf(result) | (process === 'admission' ? admissionFlag : 0);
}

const compareText = (x: string, y: string) => (x === y ? 0 : x < y ? -1 : 1);
