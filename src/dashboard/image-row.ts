import { LRUCache } from 'lru-cache';
import { itemsOf } from './bag.ts';
import type { Cargo } from './cargo.ts';
import type { CopyFact, DetectionFact, PodFact, ResultFact, WorkloadFact } from './facts.ts';
import { workloadKey } from './facts.ts';
import type { ImageEntry } from './image-table.ts';
import type { CopyState, ImageRow, JobCounts, JobState, VulnerabilityCounts } from './protocol.ts';
import type { Visibility } from './visibility.ts';

/** Everything of one image that one user may see, as numbers; undefined if that is nothing. */
export interface ImageSummary {
  readonly entry: ImageEntry;
  readonly namespaces: ReadonlySet<string>;
  readonly workloads: number;
  readonly pods: number;
  readonly copy: CopyFact | undefined;
  readonly copyState: CopyState;
  readonly jobs: JobCounts;
  readonly fail: number;
  readonly warn: number;
  readonly error: number;
  readonly vulnerabilities: VulnerabilityCounts | undefined;
  readonly commit: DetectionFact | undefined;
  readonly pullProblem: string;
  readonly movedTo: string;
}

/** The workload to which a pod belongs: that of its Deployment or CronJob, its controller, or the pod itself. */
export function rootOf(pod: PodFact, workloads: Cargo['workloads']): { readonly kind: string; readonly name: string } {
  const { namespace, ownerKind, ownerName, deployment } = pod;
  if (ownerKind === '') return { kind: 'Pod', name: pod.name };
  if (deployment !== '' && workloads.get('Deployment', `${namespace}/${deployment}`))
    return { kind: 'Deployment', name: deployment };
  const cronJob = ownerKind === 'Job' ? /^(.+)-\d{6,}$/.exec(ownerName)?.[1] : undefined;
  if (cronJob !== undefined && workloads.get('CronJob', `${namespace}/${cronJob}`))
    return { kind: 'CronJob', name: cronJob };
  return { kind: ownerKind, name: ownerName };
}

const pullReasons = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'ImageInspectError',
  'RegistryUnavailable',
]);
const isPullProblem = (reason: string) => pullReasons.has(reason);

/** The index of the container of a pod that runs the image and cannot be pulled; -1 if there is none. */
function pullProblemOf(pod: PodFact, belongs: (source: string) => boolean): number {
  return pod.containers.findIndex(
    ({ reason }, index) => isPullProblem(reason) && belongs(pod.images[index]?.source ?? ''),
  );
}

const copyRank: Readonly<Record<CopyState, number>> = { none: 0, copied: 1, pending: 2, copying: 3, failed: 4 };

export function summaryOf(cargo: Cargo, entry: ImageEntry, sees: Visibility): ImageSummary | undefined {
  const namespaces = new Set<string>();
  const roots = new Set<string>();
  let pods = 0;
  let pullProblem = '';
  let isVisible = false;
  const results = { fail: 0, warn: 0, error: 0 };
  const countResults = (rows: Iterable<ResultFact>) => {
    for (const { result } of rows) if (result === 'fail' || result === 'warn' || result === 'error') results[result]++;
  };
  const addRoot = (kind: string, namespace: string, name: string) => {
    const key = workloadKey(kind, namespace, name);
    if (roots.has(key)) return;
    roots.add(key);
    namespaces.add(namespace);
    if (sees.sees('policyreports', namespace)) countResults(cargo.resultsOf(kind, namespace, name));
  };
  for (const { kind, namespace, name } of visibleWorkloads(entry, sees)) addRoot(kind, namespace, name);
  for (const pod of entry.allPods()) {
    const { namespace } = pod;
    if (!sees.sees('pods', namespace)) continue;
    const root = rootOf(pod, cargo.workloads);
    addRoot(root.kind, namespace, root.name);
    if (root.kind !== 'Pod' && sees.sees('policyreports', namespace))
      countResults(cargo.resultsOf('Pod', namespace, pod.name));
    if (pod.isOver) continue;
    pods++;
    if (pullProblem !== '') continue;
    const at = pullProblemOf(pod, (source) => cargo.images.idOf(source) === entry.id);
    if (at >= 0) pullProblem = pod.containers[at]!.reason;
  }
  isVisible ||= roots.size > 0;
  let copy: CopyFact | undefined;
  if (sees.sees('mirroredimages', ''))
    for (const one of itemsOf(entry.copies)) if (!copy || copyRank[one.state] > copyRank[copy.state]) copy = one;
  isVisible ||= copy !== undefined;
  const jobs = jobsOf(entry, sees);
  let commit: DetectionFact | undefined;
  for (const detection of detectionsOf(cargo, entry)) {
    if (!sees.sees('imagedetecteds', detection.namespace)) continue;
    isVisible = true;
    if (detection.commit !== '' && (!commit || detection.processedAt > commit.processedAt)) commit = detection;
  }
  let vulnerabilities: VulnerabilityCounts | undefined;
  let scannedAt = '';
  for (const { namespace, counts, at } of itemsOf(entry.vulnerabilities)) {
    if (!sees.sees('vulnerabilityreports', namespace)) continue;
    isVisible = true;
    // Reports of several workloads are about the same image: the newest counts.
    if (vulnerabilities && at < scannedAt) continue;
    [vulnerabilities, scannedAt] = [counts, at];
  }
  isVisible ||= jobs !== noJobs;
  if (!isVisible) return undefined;
  return {
    entry,
    namespaces: shared(namespaces),
    workloads: roots.size,
    pods,
    copy,
    copyState: copy?.state ?? 'none',
    jobs,
    ...results,
    vulnerabilities,
    commit,
    pullProblem,
    movedTo: copy && copy.sourceDigest !== '' && copy.sourceDigest !== copy.digest ? copy.sourceDigest : '',
  };
}

const noJobs: JobCounts = { pending: 0, running: 0, succeeded: 0, failed: 0 };

/** Counts, of which only those that count something are objects of their own: summaries are kept for a while. */
function jobsOf(entry: ImageEntry, sees: Visibility): JobCounts {
  let counts: Record<JobState, number> | undefined;
  for (const { namespace, state } of itemsOf(entry.jobs)) {
    if (!sees.sees('jobs', namespace)) continue;
    counts ??= { ...noJobs };
    counts[state]++;
  }
  return counts ?? noJobs;
}

/** Most images are in one namespace, and all of a namespace share its set. */
const single = new LRUCache<string, ReadonlySet<string>>({ max: 2_000 });
function shared(namespaces: ReadonlySet<string>): ReadonlySet<string> {
  const [first] = namespaces;
  if (namespaces.size !== 1 || first === undefined) return namespaces;
  const known = single.get(first);
  if (known) return known;
  single.set(first, namespaces);
  return namespaces;
}

function* visibleWorkloads(entry: ImageEntry, sees: Visibility): Generator<WorkloadFact> {
  for (const workload of entry.allWorkloads()) if (sees.sees('pods', workload.namespace)) yield workload;
}

/** Those that name it by tag, and for an image by digest also those that found this digest. */
export function* detectionsOf(cargo: Cargo, entry: ImageEntry): Generator<DetectionFact> {
  const own = new Set(itemsOf(entry.detections));
  yield* own;
  if (entry.digest === '') return;
  for (const detection of itemsOf(cargo.detectionsByDigest.get(entry.digest)))
    if (!own.has(detection) && detection.image.includes(entry.repository.slice(entry.repository.indexOf('/') + 1)))
      yield detection;
}

export function rowOf(summary: ImageSummary, sees: Visibility): ImageRow {
  const { entry, copy, commit, vulnerabilities, pullProblem, movedTo } = summary;
  const digest = entry.digest || (copy?.state === 'copied' ? copy.digest : '') || (commit?.digest ?? '');
  const { fail, warn, error } = summary;
  return {
    id: entry.id,
    repository: entry.repository,
    registry: entry.registry,
    ...(entry.tag === '' ? {} : { tag: entry.tag }),
    ...(digest === '' ? {} : { digest }),
    namespaces: summary.namespaces.size,
    workloads: summary.workloads,
    pods: summary.pods,
    copy: summary.copyState,
    ...(copy?.state === 'failed' && copy.message !== '' ? { copyMessage: copy.message } : {}),
    ...(sees.seesAny('jobs') ? { jobs: summary.jobs } : {}),
    ...(sees.seesAny('policyreports') ? { results: { fail, warn, error } } : {}),
    ...(vulnerabilities ? { vulnerabilities } : {}),
    ...(commit ? { commit: { sha: commit.commit, ...(commit.processedAt ? { at: commit.processedAt } : {}) } } : {}),
    ...(pullProblem === '' ? {} : { pullProblem }),
    ...(movedTo === '' ? {} : { movedTo }),
    ...(sees.seesAllImages && entry.changedAtMs > 0 ? { seenAt: new Date(entry.changedAtMs).toISOString() } : {}),
  };
}
