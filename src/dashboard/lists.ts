import type { Cargo } from './cargo.ts';
import type { CopyFact, DetectionFact, JobFact, ResultFact } from './facts.ts';
import { imageNameOf } from './image-id.ts';
import { copyCounts, detectionCounts, jobCounts } from './overview.ts';
import { type Place, pageOf, sortByPlace } from './page.ts';
import type { CopiesAnswer, DetectionRow, JobsAnswer, Page, PipelineAnswer, ResultRow } from './protocol.ts';
import type { Query } from './query.ts';
import { copyRow, detectionRow, jobRow, pipelinePolicy, resultRow } from './rows.ts';
import type { Visibility } from './visibility.ts';

interface ListOptions<Fact, Row> {
  readonly query: Query;
  /** What the user may see. */
  readonly facts: readonly Fact[];
  readonly filters: readonly ((fact: Fact) => boolean)[];
  /** The texts in which the words of `q` are looked for. */
  readonly textsOf: (fact: Fact) => readonly string[];
  readonly placeOf: (fact: Fact) => Place;
  readonly order: 'asc' | 'desc';
  readonly rowOf: (fact: Fact) => Row;
}

function listOf<Fact, Row>(options: ListOptions<Fact, Row>): Page<Row> {
  const { query, facts, filters, textsOf, placeOf, order, rowOf } = options;
  const words = query.words('q');
  const matched = facts.filter((fact) => {
    if (!filters.every((passes) => passes(fact))) return false;
    if (words.length === 0) return true;
    const texts = textsOf(fact).map((text) => text.toLowerCase());
    return words.every((word) => texts.some((text) => text.includes(word)));
  });
  const sorted = sortByPlace(matched, placeOf, order);
  return pageOf({ query, matched: sorted, total: facts.length, placeOf, order, rowOf });
}

/** True for every value if the parameter is absent. */
function among(query: Query, name: string): (value: string) => boolean {
  const wanted = query.set(name);
  return wanted ? (value) => wanted.has(value) : () => true;
}

const copyOrder = { failed: 0, copying: 1, pending: 2, copied: 3 } as const;

/** GET /api/copies: those that need attention first. */
export function copiesAnswer(cargo: Cargo, query: Query, sees: Visibility): CopiesAnswer {
  const state = among(query, 'state');
  const registry = among(query, 'registry');
  const unused = query.flag('unused');
  const isVisible = sees.sees('mirroredimages', '');
  const page = listOf({
    query,
    facts: isVisible ? [...cargo.copies()] : [],
    filters: [
      (copy: CopyFact) => state(copy.state),
      (copy) => registry(imageNameOf(copy.source).registry),
      (copy) => unused === undefined || (copy.unusedSince !== '') === unused,
    ],
    textsOf: ({ source, copy, message, digest }) => [source, copy, message, digest],
    placeOf: (copy) => ({ value: copyOrder[copy.state], id: copy.name }),
    order: 'asc',
    rowOf: copyRow,
  });
  const counts = isVisible ? copyCounts(cargo) : { pending: 0, copying: 0, copied: 0, failed: 0, unused: 0 };
  return { ...page, counts };
}

/** GET /api/pipeline: the ImageResourcePolicies. */
export function pipelineAnswer(cargo: Cargo, query: Query, sees: Visibility): PipelineAnswer {
  const namespace = among(query, 'ns');
  const mayRead = (name: string) => sees.sees('imagedetecteds', name);
  const page = listOf({
    query,
    facts: [...cargo.scanPolicies.values()].filter((policy) => mayRead(policy.namespace)),
    filters: [(policy) => namespace(policy.namespace)],
    textsOf: (policy) => [policy.namespace, policy.name, policy.templateName, policy.message],
    placeOf: (policy) => ({ value: policy.ready === false ? 0 : 1, id: `${policy.namespace}/${policy.name}` }),
    order: 'asc',
    rowOf: (policy) => pipelinePolicy(cargo, policy, mayRead),
  });
  return { ...page, counts: detectionCounts(cargo, sees) };
}

/** GET /api/detections: the newest first. */
export function detectionsAnswer(cargo: Cargo, query: Query, sees: Visibility): Page<DetectionRow> {
  const namespace = among(query, 'ns');
  const phase = among(query, 'phase');
  const policy = among(query, 'policy');
  const image = query.text('image');
  const mayRead = (name: string) => sees.sees('imagedetecteds', name);
  return listOf({
    query,
    facts: [...cargo.detections.values()].filter((detection) => mayRead(detection.namespace)),
    filters: [
      (detection: DetectionFact) => namespace(detection.namespace),
      (detection) => phase(detection.phase),
      (detection) => policy(`${detection.policyNamespace}/${detection.policyName}`),
      (detection) => image === undefined || cargo.images.idOf(detection.image) === image,
    ],
    textsOf: ({ name, image: text, digest, commit, message, reason }) => [name, text, digest, commit, message, reason],
    placeOf: (detection) => ({ value: detection.detectedAt, id: `${detection.namespace}/${detection.name}` }),
    order: 'desc',
    rowOf: (detection) => detectionRow(cargo, detection, mayRead),
  });
}

const resultOrder = { error: 0, fail: 1, warn: 2, pass: 3, skip: 4 } as const;

/** GET /api/results: what does not pass. */
export function resultsAnswer(cargo: Cargo, query: Query, sees: Visibility): Page<ResultRow> {
  const namespace = among(query, 'ns');
  const policy = among(query, 'policy');
  const result = among(query, 'result');
  const severity = among(query, 'severity');
  const source = among(query, 'source');
  const image = query.text('image');
  const facts: ResultFact[] = [];
  for (const report of cargo.reports.values())
    for (const row of report.rows) if (sees.sees('policyreports', row.namespace)) facts.push(row);
  return listOf({
    query,
    facts,
    filters: [
      (row: ResultFact) => namespace(row.namespace),
      (row) => policy(row.policy),
      (row) => result(row.result),
      (row) => severity(row.severity),
      (row) => source(row.source),
      (row) => image === undefined || resultRow(cargo, row, sees).images.includes(image),
    ],
    textsOf: (row) => [row.policy, row.rule, row.message, row.kind, row.namespace, row.name],
    placeOf: (row) => ({
      value: resultOrder[row.result],
      id: [row.namespace, row.kind, row.name, row.policy, row.rule, row.source].join('/'),
    }),
    order: 'asc',
    rowOf: (row) => resultRow(cargo, row, sees),
  });
}

/** GET /api/jobs: the newest first. */
export function jobsAnswer(cargo: Cargo, query: Query, sees: Visibility): JobsAnswer {
  const namespace = among(query, 'ns');
  const state = among(query, 'state');
  const origin = among(query, 'origin');
  const page = listOf({
    query,
    facts: [...cargo.jobs.values()].filter((job) => sees.sees('jobs', job.namespace)),
    filters: [(job: JobFact) => namespace(job.namespace), (job) => state(job.state), (job) => origin(job.origin)],
    textsOf: ({ name, image, madeBy, type, requestId, message }) => [name, image, madeBy, type, requestId, message],
    placeOf: (job) => ({ value: job.createdAt, id: `${job.namespace}/${job.name}` }),
    order: 'desc',
    rowOf: (job) => jobRow(cargo, job),
  });
  return { ...page, counts: jobCounts(cargo, sees) };
}
