import { type Bag, itemsOf, withItem, withoutItem } from './bag.ts';
import { ChangeLog } from './changes.ts';
import type {
  CopyFact,
  DetectionFact,
  EventFact,
  ExceptionFact,
  JobFact,
  PodFact,
  PolicyFact,
  ReportFact,
  ResultFact,
  ScanPolicyFact,
  TemplateFact,
  VulnerabilityFact,
  WorkloadFact,
} from './facts.ts';
import { ImageTable } from './image-table.ts';
import { KindMap } from './kind-map.ts';
import type { ChangedView, ShownKind } from './protocol.ts';

/** Jobs whose objects are gone. */
const maxGoneJobs = 2_000;
/** Events are many and short-lived. */
const maxEvents = 2_000;

/**
 * What is known of the cluster's images. Facts come from watches, object by object; answers are computed from them.
 * Pure: no I/O, and the clock is given.
 */
export class Cargo {
  readonly changes = new ChangeLog();
  readonly images: ImageTable;
  readonly workloads = new KindMap<WorkloadFact>();
  readonly pods = new Map<string, PodFact>();
  readonly jobs = new Map<string, JobFact>();
  readonly detections = new Map<string, DetectionFact>();
  readonly detectionsByDigest = new Map<string, Bag<DetectionFact>>();
  readonly scanPolicies = new Map<string, ScanPolicyFact>();
  readonly templates = new Map<string, TemplateFact>();
  readonly reports = new Map<string, ReportFact>();
  readonly results = new KindMap<Bag<ResultFact>>();
  readonly policies = new Map<string, PolicyFact>();
  readonly exceptions = new Map<string, ExceptionFact>();
  readonly vulnerabilities = new Map<string, VulnerabilityFact>();
  /** The oldest first. */
  readonly events = new Map<string, EventFact>();
  /** Of the sets above; answers may be reused while it stays. */
  version = 0;

  constructor(now: () => number) {
    this.images = new ImageTable((id, kind, namespace) => this.changes.image(id, kind, namespace), now);
  }

  putWorkload(kind: string, key: string, fact: WorkloadFact | undefined): void {
    const before = this.workloads.get(kind, key);
    const next = fact && fact.images.length > 0 ? fact : undefined;
    if (next) {
      this.workloads.set(kind, key, next);
      this.images.addUser('workloads', next);
    } else this.workloads.delete(kind, key);
    if (before) this.images.removeUser('workloads', before);
    if (before ?? next) this.changed('images', 'pods', (next ?? before)!.namespace);
  }

  putPod(key: string, fact: PodFact | undefined): void {
    const before = this.pods.get(key);
    // First the new one, so that an image does not come and go between the two.
    if (fact) {
      this.pods.set(key, fact);
      this.images.addUser('pods', fact);
    } else this.pods.delete(key);
    if (before) this.images.removeUser('pods', before);
    if (fact ?? before) this.changed('images', 'pods', (fact ?? before)!.namespace);
  }

  /** `before` is what was put of the same object. The images have the copies: there is one for most of them. */
  putCopy(fact: CopyFact | undefined, before: CopyFact | undefined): void {
    if (fact) this.images.addCopy(fact);
    if (before) this.images.removeCopy(before);
    this.changed('copies', 'mirroredimages', '');
    this.changed('images', 'mirroredimages', '');
  }

  *copies(): Generator<CopyFact> {
    for (const { copies } of this.images.entries.values()) yield* itemsOf(copies);
  }

  /** A deleted Job stays for a while: its end is what people look for. */
  putJob(key: string, fact: JobFact | undefined): void {
    const before = this.jobs.get(key);
    if (before?.isGone) {
      if (!fact) return;
      this.goneJobs--;
    }
    const next = fact ?? (before && goneJob(before));
    if (!next) return;
    // Moved to the end: the first is the oldest.
    this.jobs.delete(key);
    this.jobs.set(key, next);
    if (next.image !== '') this.images.link('jobs', next.image, next);
    if (before) this.images.unlink('jobs', before);
    if (next.isGone) this.forgetJobs();
    this.changed('jobs', 'jobs', next.namespace);
  }

  private goneJobs = 0;
  private forgetJobs(): void {
    if (++this.goneJobs <= maxGoneJobs) return;
    const key = oldestOfMost(this.jobs, ({ isGone }) => isGone);
    const job = this.jobs.get(key);
    if (!job) return;
    this.jobs.delete(key);
    this.goneJobs--;
    this.images.unlink('jobs', job);
  }

  putDetection(key: string, fact: DetectionFact | undefined): void {
    const before = this.detections.get(key);
    if (fact) {
      this.detections.set(key, fact);
      this.images.link('detections', fact.image, fact);
      this.setDigest(fact.digest, withItem(this.detectionsByDigest.get(fact.digest), fact));
    } else this.detections.delete(key);
    if (before) {
      this.images.unlink('detections', before);
      this.setDigest(before.digest, withoutItem(this.detectionsByDigest.get(before.digest), before));
    }
    this.changed('pipeline', 'imagedetecteds', (fact ?? before)?.namespace ?? '');
  }

  private setDigest(digest: string, bag: Bag<DetectionFact>): void {
    if (bag === undefined) this.detectionsByDigest.delete(digest);
    else this.detectionsByDigest.set(digest, bag);
  }

  putScanPolicy(key: string, fact: ScanPolicyFact | undefined): void {
    this.put(this.scanPolicies, key, fact, ['pipeline', 'imagedetecteds']);
  }

  putTemplate(key: string, fact: TemplateFact | undefined): void {
    if (fact) this.templates.set(key, fact);
    else this.templates.delete(key);
    this.changed('pipeline', 'imagedetecteds', key.slice(0, key.indexOf('/')));
  }

  putReport(key: string, fact: ReportFact | undefined): void {
    const before = this.reports.get(key);
    for (const row of fact?.rows ?? []) this.setResults(row, withItem);
    for (const row of before?.rows ?? []) this.setResults(row, withoutItem);
    if (fact) this.reports.set(key, fact);
    else this.reports.delete(key);
    this.changed('results', 'policyreports', (fact ?? before)?.namespace ?? '');
  }

  private setResults(row: ResultFact, change: typeof withItem<ResultFact>): void {
    const { kind, key = keyOf(row) } = row;
    const bag = change(this.results.get(kind, key), row);
    if (bag === undefined) this.results.delete(kind, key);
    else this.results.set(kind, key, bag);
    this.images.touch(this.userOf(row)?.images ?? [], row.namespace);
  }

  /** The workload or pod that is called so. */
  userOf(object: Pick<WorkloadFact, 'kind' | 'namespace' | 'name'>): WorkloadFact | PodFact | undefined {
    const key = keyOf(object);
    return object.kind === 'Pod' ? this.pods.get(key) : this.workloads.get(object.kind, key);
  }

  /** The same text where a watch keeps it. */
  sharedKey(kind: string, key: string): string {
    return (kind === 'Pod' ? this.pods.get(key) : this.workloads.get(kind, key))?.key ?? key;
  }

  /** Non-pass results of an object. */
  resultsOf(kind: string, namespace: string, name: string): Iterable<ResultFact> {
    return itemsOf(this.results.get(kind, keyOf({ namespace, name })));
  }

  putPolicy(key: string, fact: PolicyFact | undefined): void {
    this.put(this.policies, key, fact, ['results', 'policyreports']);
  }

  putException(key: string, fact: ExceptionFact | undefined): void {
    this.put(this.exceptions, key, fact, ['results', 'policyreports']);
  }

  putVulnerabilities(key: string, fact: VulnerabilityFact | undefined): void {
    const before = this.vulnerabilities.get(key);
    if (fact) this.images.link('vulnerabilities', fact.image, fact);
    if (before) this.images.unlink('vulnerabilities', before);
    this.put(this.vulnerabilities, key, fact, ['images', 'vulnerabilityreports']);
  }

  putEvent(key: string, fact: EventFact | undefined): void {
    this.events.delete(key);
    if (!fact) return;
    this.events.set(key, fact);
    if (this.events.size > maxEvents) this.events.delete(oldestOfMost(this.events));
    this.changed('overview', 'events', fact.namespace);
  }

  private put<F extends { readonly namespace: string }>(
    map: Map<string, F>,
    key: string,
    fact: F | undefined,
    [view, kind]: readonly [ChangedView, ShownKind],
  ): void {
    const before = map.get(key);
    if (fact) map.set(key, fact);
    else if (!map.delete(key)) return;
    this.changed(view, kind, (fact ?? before)?.namespace ?? '');
  }

  /** `kind` and `namespace` are of the object that changed: who may list it is told. */
  changed(view: ChangedView, kind: ShownKind, namespace: string): void {
    this.version++;
    this.changes.view(view, kind, namespace);
    if (view !== 'system') this.changes.view('overview', kind, namespace);
  }
}

const keyOf = ({ namespace, name }: { readonly namespace: string; readonly name: string }) =>
  namespace === '' ? name : `${namespace}/${name}`;

/** The key of the oldest one of the namespace that has most of them: a tenant who makes many loses their own. */
function oldestOfMost<F extends { readonly namespace: string }>(
  facts: ReadonlyMap<string, F>,
  counts: (fact: F) => boolean = () => true,
): string {
  const byNamespace = new Map<string, { count: number; readonly oldest: string }>();
  let most = { count: 0, oldest: '' };
  for (const [key, fact] of facts) {
    if (!counts(fact)) continue;
    const found = byNamespace.get(fact.namespace) ?? { count: 0, oldest: key };
    byNamespace.set(fact.namespace, found);
    if (++found.count > most.count) most = found;
  }
  return most.oldest;
}

/** Its last state. One that had not ended was deleted by someone. */
function goneJob(job: JobFact): JobFact {
  const isOver = job.state === 'succeeded' || job.state === 'failed';
  return isOver
    ? { ...job, isGone: true }
    : { ...job, isGone: true, state: 'failed', reason: 'Deleted', message: 'the Job was deleted before it ended' };
}
