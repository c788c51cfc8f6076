import { itemsOf } from './bag.ts';
import type { Cargo } from './cargo.ts';
import { type EventFact, type PodFact, type ResultFact, type WorkloadFact, workloadKey, workloadRef } from './facts.ts';
import { detectionsOf, rootOf, rowOf, summaryOf } from './image-row.ts';
import type { ImageEntry } from './image-table.ts';
import { lifeOf } from './life.ts';
import { someOf } from './page.ts';
import type { ImageAnswer, ImageId, ObjectRef, Run, RunPod, ShownKind } from './protocol.ts';
import { copyRow, detectionRow, eventRow, jobRow, resultRow, vulnerabilityRow } from './rows.ts';
import { shownKinds, type Visibility } from './visibility.ts';

const maxRuns = 200;
const maxPods = 20;
const maxRows = 100;

/** The answer of GET /api/image; undefined if the user may see nothing of the image. */
export function imageAnswer(cargo: Cargo, id: ImageId, sees: Visibility): ImageAnswer | undefined {
  const entry = cargo.images.entries.get(id);
  const summary = entry && summaryOf(cargo, entry, sees);
  if (!entry || !summary) return undefined;
  const byTime = <T>(items: readonly T[], timeOf: (item: T) => string) =>
    [...items].sort((a, b) => (timeOf(a) > timeOf(b) ? -1 : 1));
  const runs = runsOf(cargo, entry, sees);
  const copies = sees.sees('mirroredimages', '') ? [...itemsOf(entry.copies)] : [];
  const jobs = byTime(
    [...itemsOf(entry.jobs)].filter(({ namespace }) => sees.sees('jobs', namespace)),
    ({ createdAt }) => createdAt,
  );
  const detections = byTime(
    [...detectionsOf(cargo, entry)].filter(({ namespace }) => sees.sees('imagedetecteds', namespace)),
    ({ detectedAt }) => detectedAt,
  );
  const results = resultsOf(cargo, entry, sees);
  const vulnerabilities = byTime(
    [...itemsOf(entry.vulnerabilities)].filter(({ namespace }) => sees.sees('vulnerabilityreports', namespace)),
    ({ at }) => at,
  );
  const tags = [...cargo.images.ofRepository(entry.repository)].filter((other) => other !== entry);
  const mayRead = (namespace: string) => sees.sees('imagedetecteds', namespace);
  return {
    image: rowOf(summary, sees),
    life: lifeOf({ entry, runs, copies, jobs, detections, results, sees }),
    runs: someOf(runs, maxRuns, (run) => run),
    copies: someOf(copies, maxRows, copyRow),
    jobs: someOf(jobs, maxRows, (job) => jobRow(cargo, job)),
    results: someOf(results, maxRows, (row) => resultRow(cargo, row, sees)),
    detections: someOf(detections, maxRows, (detection) => detectionRow(cargo, detection, mayRead)),
    vulnerabilityReports: someOf(vulnerabilities, maxRows, vulnerabilityRow),
    events: someOf(eventsOf(cargo, entry, sees), maxRows, eventRow),
    tags: someOf(
      tags.flatMap((other) => summaryOf(cargo, other, sees) ?? []),
      maxRows,
      (other) => rowOf(other, sees),
    ),
    hidden: shownKinds.filter((kind) => !sees.seesAny(kind)),
  };
}

/** By workload and container. Pods whose workload is unknown are at their controller. */
function runsOf(cargo: Cargo, entry: ImageEntry, sees: Visibility): Run[] {
  const runs = new Map<string, { run: Omit<Run, 'pods'>; pods: RunPod[] }>();
  const at = (workload: ObjectRef, container: string, writtenAs: string, image: string) => {
    const key = `${workload.kind}/${workload.namespace}/${workload.name}/${container}`;
    let found = runs.get(key);
    if (!found) {
      found = { run: { workload, container, writtenAs, image }, pods: [] };
      runs.set(key, found);
    }
    return found;
  };
  const isThis = (source: string) => cargo.images.idOf(source) === entry.id;
  for (const { kind, namespace, name, images } of new Set<WorkloadFact>(entry.allWorkloads())) {
    if (!sees.sees('pods', namespace)) continue;
    for (const { container, image, source } of images)
      if (isThis(source)) at(workloadRef(kind, namespace, name), container, source, image);
  }
  for (const pod of new Set<PodFact>(entry.allPods())) {
    if (!sees.sees('pods', pod.namespace)) continue;
    const root = rootOf(pod, cargo.workloads);
    pod.images.forEach(({ container, image, source }, index) => {
      if (!isThis(source)) return;
      const { pods } = at(workloadRef(root.kind, pod.namespace, root.name), container, source, image);
      pods.push(runPod(pod, index));
    });
  }
  return [...runs.values()]
    .map(({ run, pods }) => ({ ...run, pods: someOf(pods, maxPods, (pod) => pod) }))
    .sort((a, b) => (nameOf(a.workload) < nameOf(b.workload) ? -1 : 1));
}

const nameOf = ({ namespace, kind, name }: ObjectRef) => `${namespace}/${kind}/${name}`;

function runPod({ name, node, containers }: PodFact, index: number): RunPod {
  const { imageId = '', state = 'unknown', reason = '', message = '' } = containers[index] ?? {};
  return {
    name,
    state,
    ...(node === '' ? {} : { node }),
    ...(imageId === '' ? {} : { imageId }),
    ...(reason === '' ? {} : { reason }),
    ...(message === '' ? {} : { message }),
  };
}

/** Of the workloads that run it, and of their pods. A report names no images: who may not list its pods learns none. */
function resultsOf(cargo: Cargo, entry: ImageEntry, sees: Visibility): ResultFact[] {
  const keys = new Set<string>();
  const rows: ResultFact[] = [];
  const add = (kind: string, namespace: string, name: string) => {
    const key = workloadKey(kind, namespace, name);
    if (keys.has(key) || !sees.sees('policyreports', namespace) || !sees.sees('pods', namespace)) return;
    keys.add(key);
    rows.push(...cargo.resultsOf(kind, namespace, name));
  };
  for (const { kind, namespace, name } of entry.allWorkloads()) add(kind, namespace, name);
  for (const pod of entry.allPods()) {
    const root = rootOf(pod, cargo.workloads);
    add(root.kind, pod.namespace, root.name);
    add('Pod', pod.namespace, pod.name);
  }
  const order = { error: 0, fail: 1, warn: 2, pass: 3, skip: 4 };
  return rows.sort((a, b) => order[a.result] - order[b.result]);
}

/** Of objects that the user may list: an event does not say which image its object has. */
function eventsOf(cargo: Cargo, entry: ImageEntry, sees: Visibility): EventFact[] {
  const about = new Set<string>();
  const add = (seen: ShownKind, kind: string, namespace: string, name: string) => {
    if (sees.sees(seen, namespace)) about.add(workloadKey(kind, namespace, name));
  };
  for (const { kind, namespace, name } of entry.allWorkloads()) add('pods', kind, namespace, name);
  for (const { namespace, name } of entry.allPods()) add('pods', 'Pod', namespace, name);
  for (const { name } of itemsOf(entry.copies)) add('mirroredimages', 'MirroredImage', '', name);
  for (const { namespace, name } of itemsOf(entry.jobs)) add('jobs', 'Job', namespace, name);
  for (const { namespace, name } of detectionsOf(cargo, entry)) add('imagedetecteds', 'ImageDetected', namespace, name);
  return [...cargo.events.values()]
    .filter(
      ({ kind, namespace, name }) => about.has(workloadKey(kind, namespace, name)) && sees.sees('events', namespace),
    )
    .sort((a, b) => (a.at > b.at ? -1 : 1));
}
