import type { Cargo } from './cargo.ts';
import { type ImageSummary, rootOf } from './image-row.ts';
import type { ReadVisibleImages } from './images-query.ts';
import { someOf } from './page.ts';
import { noResults, resultStatuses } from './project-reports.ts';
import type { Activity, Attention, CopyCounts, JobCounts, Overview, ResultCounts } from './protocol.ts';
import { refOf } from './rows.ts';
import type { SyncRun } from './sync-runs.ts';
import type { Visibility } from './visibility.ts';

const maxAttention = 50;
const maxActivity = 100;
const hourMs = 60 * 60_000;

interface OverviewOptions {
  readonly cargo: Cargo;
  readonly readVisible: ReadVisibleImages;
  readonly sees: Visibility;
  /** The newest first. */
  readonly syncRuns: readonly SyncRun[];
  readonly nowMs: number;
  /** In lower case; of the last hour only what has all of them. */
  readonly words?: readonly string[];
}

/** The answer of GET /api/overview. */
export function overviewOf(options: OverviewOptions): Overview {
  const { cargo, sees } = options;
  const { summaries, facets } = options.readVisible(sees);
  const vulnerabilities = { critical: 0, high: 0, medium: 0, low: 0, unknown: 0 };
  let running = 0;
  let isScanned = false;
  for (const { workloads, vulnerabilities: found } of summaries) {
    if (workloads > 0) running++;
    if (!found) continue;
    isScanned = true;
    for (const key of Object.keys(vulnerabilities) as (keyof typeof vulnerabilities)[])
      vulnerabilities[key] += found[key];
  }
  return {
    images: { total: summaries.length, running, registries: facets.registries },
    ...(sees.seesAny('mirroredimages') ? { copies: copyCounts(cargo) } : {}),
    ...(sees.seesAny('policyreports') ? { results: resultCounts(cargo, sees) } : {}),
    ...(sees.seesAny('jobs') ? { jobs: jobCounts(cargo, sees) } : {}),
    ...(sees.seesAny('imagedetecteds') ? { detections: detectionCounts(cargo, sees) } : {}),
    // Where nothing scans, nobody knows that there are none.
    ...(isScanned ? { vulnerabilities } : {}),
    attention: someOf(attentionOf(options, summaries), maxAttention, (one) => one),
    activity: someOf(activityOf(options), maxActivity, (one) => one),
  };
}

export function copyCounts(cargo: Cargo): CopyCounts {
  const counts = { pending: 0, copying: 0, copied: 0, failed: 0, unused: 0 };
  for (const { state, unusedSince } of cargo.copies()) {
    counts[state]++;
    if (unusedSince !== '') counts.unused++;
  }
  return counts;
}

function resultCounts(cargo: Cargo, sees: Visibility): ResultCounts {
  const total = noResults();
  for (const { namespace, counts } of cargo.reports.values())
    if (sees.sees('policyreports', namespace)) for (const status of resultStatuses) total[status] += counts[status];
  return total;
}

export function jobCounts(cargo: Cargo, sees: Visibility): JobCounts {
  const counts = { pending: 0, running: 0, succeeded: 0, failed: 0 };
  for (const { namespace, state } of cargo.jobs.values()) if (sees.sees('jobs', namespace)) counts[state]++;
  return counts;
}

export function detectionCounts(cargo: Cargo, sees: Visibility) {
  const counts = { pending: 0, processing: 0, completed: 0, failed: 0 };
  for (const { namespace, phase } of cargo.detections.values())
    if (sees.sees('imagedetecteds', namespace)) counts[phase]++;
  return counts;
}

const some = (key: 'at' | 'image', value: string) => (value === '' ? {} : { [key]: value });

/** What somebody should look at, errors first. */
function attentionOf({ cargo, sees, syncRuns }: OverviewOptions, summaries: readonly ImageSummary[]): Attention[] {
  const found: Attention[] = [];
  for (const { entry, pullProblem, copy, movedTo } of summaries) {
    const about = { subject: entry.id, image: entry.id, count: 1 };
    if (pullProblem !== '') found.push({ ...about, ...pullAttention(cargo, entry.id, sees), level: 'error' });
    if (copy?.state === 'failed')
      found.push({
        ...about,
        kind: 'copy-failed',
        level: 'error',
        message: copy.message,
        ...some('at', copy.checkedAt),
      });
    else if (movedTo !== '')
      found.push({
        ...about,
        kind: 'tag-moved',
        level: 'warning',
        message: `the tag of the source is ${movedTo} now`,
        ...some('at', copy?.checkedAt ?? ''),
      });
  }
  for (const policy of cargo.policies.values()) {
    if (!sees.sees('policyreports', policy.namespace)) continue;
    const object = refOf(policy);
    const subject = `${policy.kind}/${policy.name}`;
    found.push({ kind: 'policy-not-ready', level: 'error', subject, message: policy.message, object, count: 1 });
  }
  for (const { namespace, name, ready, message } of cargo.scanPolicies.values()) {
    if (ready !== false || !sees.sees('imagedetecteds', namespace)) continue;
    const object = { apiVersion: 'automation.gitops.io/v1beta1', kind: 'ImageResourcePolicy', namespace, name };
    const subject = `ImageResourcePolicy/${name}`;
    found.push({ kind: 'policy-not-ready', level: 'error', subject, message, object, count: 1 });
  }
  for (const { namespace, phase, image, message, processedAt } of cargo.detections.values()) {
    if (phase !== 'failed' || !sees.sees('imagedetecteds', namespace)) continue;
    const id = cargo.images.idOf(image);
    const at = some('at', processedAt);
    found.push({ kind: 'detection-failed', level: 'error', subject: id, message, image: id, ...at, count: 1 });
  }
  for (const { namespace, name, state, reason, message, image, endedAt } of cargo.jobs.values()) {
    if (state !== 'failed' || !sees.sees('jobs', namespace)) continue;
    const object = { apiVersion: 'batch/v1', kind: 'Job', namespace, name };
    const text = [reason, message].filter((one) => one !== '').join(': ');
    const of = { ...some('image', image === '' ? '' : cargo.images.idOf(image)), ...some('at', endedAt) };
    found.push({
      kind: 'job-failed',
      level: 'warning',
      subject: `Job/${name}`,
      message: text,
      object,
      ...of,
      count: 1,
    });
  }
  const [run] = syncRuns;
  if (run && run.outcome !== 'succeeded' && sees.everywhere.has('policyreports'))
    found.push({
      kind: 'sync-failed',
      level: 'error',
      subject: 'policy sync',
      message: run.failures[0] ?? `the last run was ${run.outcome}`,
      at: run.at,
      count: 1,
    });
  return found.sort((a, b) => Number(b.level === 'error') - Number(a.level === 'error') || (later(a, b) ? -1 : 1));
}

const later = (a: { readonly at?: string }, b: { readonly at?: string }) => (a.at ?? '') > (b.at ?? '');

function pullAttention(cargo: Cargo, id: string, sees: Visibility): Pick<Attention, 'kind' | 'message' | 'count'> {
  let count = 0;
  let message = '';
  for (const pod of cargo.images.entries.get(id)?.allPods() ?? []) {
    if (!sees.sees('pods', pod.namespace) || pod.isOver) continue;
    const at = pod.images.findIndex(({ source }) => cargo.images.idOf(source) === id);
    const state = pod.containers[at];
    if (state === undefined || state.state !== 'waiting') continue;
    count++;
    const root = rootOf(pod, cargo.workloads);
    message ||= `${root.kind} ${pod.namespace}/${root.name}: ${[state.reason, state.message].filter(Boolean).join(': ')}`;
  }
  return { kind: 'pull-failed', message, count: Math.max(1, count) };
}

function hasWords(
  { kind, message, reason = '', image = '', object }: Omit<Activity, 'at'>,
  words: readonly string[],
): boolean {
  if (words.length === 0) return true;
  const { kind: objectKind = '', namespace = '', name = '' } = object ?? {};
  const text = [kind, reason, message, image, objectKind, namespace, name].join(' ').toLowerCase();
  return words.every((word) => text.includes(word));
}

/** The last hour. */
function activityOf({ cargo, sees, syncRuns, nowMs, words = [] }: OverviewOptions): Activity[] {
  const found: Activity[] = [];
  const add = (at: string, activity: Omit<Activity, 'at'>) => {
    const ms = Date.parse(at);
    if (ms >= nowMs - hourMs && ms <= nowMs + hourMs && hasWords(activity, words)) found.push({ ...activity, at });
  };
  for (const detection of cargo.detections.values()) {
    const { namespace, policyNamespace, policyName, commit, files, detectedAt, processedAt } = detection;
    if (!sees.sees('imagedetecteds', namespace)) continue;
    const image = cargo.images.idOf(detection.image);
    add(detectedAt, { kind: 'detected', message: `detected by ${policyNamespace}/${policyName}`, image });
    if (commit !== '') add(processedAt, { kind: 'committed', message: `${commit} ${files.join(', ')}`.trim(), image });
  }
  if (sees.sees('mirroredimages', ''))
    for (const { source, copy, state, copiedAt, checkedAt, message } of cargo.copies()) {
      const image = cargo.images.idOf(source);
      add(copiedAt, { kind: 'copied', message: `to ${copy}`, image });
      if (state === 'failed') add(checkedAt, { kind: 'copy-failed', message, image });
    }
  for (const job of cargo.jobs.values()) {
    const { namespace, name, state, startedAt, endedAt, madeBy, type, reason } = job;
    if (!sees.sees('jobs', namespace)) continue;
    const object = { apiVersion: 'batch/v1', kind: 'Job', namespace, name };
    const image = job.image === '' ? {} : { image: cargo.images.idOf(job.image) };
    add(startedAt, { kind: 'job-started', message: madeBy === '' ? type : `by ${madeBy}`, object, ...image });
    if (state === 'succeeded') add(endedAt, { kind: 'job-succeeded', message: '', object, ...image });
    if (state === 'failed') add(endedAt, { kind: 'job-failed', message: reason, object, ...image });
  }
  // Every pod start pulls.
  for (const event of cargo.events.values())
    if (event.reason !== 'Pulled' && sees.sees('events', event.namespace))
      add(event.at, { kind: 'event', message: event.message, reason: event.reason, object: refOf(event) });
  if (sees.everywhere.has('policyreports'))
    for (const run of syncRuns)
      add(run.at, {
        kind: run.outcome === 'succeeded' ? 'synced' : 'sync-failed',
        message: `+${run.applied} ~${run.updated} −${run.removed} ✗${run.failed}`,
      });
  return found.sort((a, b) => (later(a, b) ? -1 : 1));
}
