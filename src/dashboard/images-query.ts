import type { Cargo } from './cargo.ts';
import { type ImageSummary, rowOf, summaryOf } from './image-row.ts';
import { type Place, pageOf, sortByPlace } from './page.ts';
import type { CopyState, Facet, ImageSort, ImagesAnswer } from './protocol.ts';
import type { Query } from './query.ts';
import type { Visibility } from './visibility.ts';

const sorts: readonly ImageSort[] = ['name', 'workloads', 'pods', 'copy', 'results', 'vulnerabilities', 'seen'];
const copyOrder: Readonly<Record<CopyState, number>> = { none: 0, copied: 1, pending: 2, copying: 3, failed: 4 };
const maxFacets = 200;

/** What one user may see, and the facets over it: reused while nothing changes. */
interface VisibleImages {
  readonly summaries: readonly ImageSummary[];
  readonly facets: ImagesAnswer['facets'];
}

interface Sorted {
  readonly version: number;
  readonly matched: readonly ImageSummary[];
}

/** Of one user. Shared by all answers about images: to find them takes most of the time of each. */
export type ReadVisibleImages = (sees: Visibility) => VisibleImages;

export function createVisibleImages(cargo: Cargo): ReadVisibleImages {
  const visible = createVersionCache<VisibleImages>(cargo);
  return (sees) => visible(sees.key, () => visibleImages(cargo, sees));
}

/** Answers of GET /api/images. Keeps the last few results, so that a page after a page costs little. */
export function createImagesQuery(
  cargo: Cargo,
  readVisible: ReadVisibleImages,
): (query: Query, sees: Visibility) => ImagesAnswer {
  const sorted = createVersionCache<Sorted>(cargo);
  return (query, sees) => {
    const all = readVisible(sees);
    const sort = query.oneOf('sort', sorts) ?? 'name';
    const order = query.oneOf('order', ['asc', 'desc'] as const) ?? (sort === 'name' ? 'asc' : 'desc');
    const place = sort === 'seen' && !sees.seesAllImages ? places.name : places[sort];
    const { matched } = sorted(`${sees.key} ${query.filterKey}`, () => ({
      version: cargo.version,
      matched: sortByPlace(all.summaries.filter(filterOf(query)), place, order),
    }));
    const page = pageOf({
      query,
      matched,
      total: all.summaries.length,
      placeOf: place,
      order,
      rowOf: (summary) => rowOf(summary, sees),
    });
    return { ...page, facets: all.facets };
  };
}

function visibleImages(cargo: Cargo, sees: Visibility): VisibleImages {
  const summaries: ImageSummary[] = [];
  const [namespaces, registries, copies, results] = [0, 1, 2, 3].map(() => new Map<string, number>());
  const count = (map: Map<string, number> | undefined, name: string) => map?.set(name, (map.get(name) ?? 0) + 1);
  for (const entry of cargo.images.entries.values()) {
    const summary = summaryOf(cargo, entry, sees);
    if (!summary) continue;
    summaries.push(summary);
    for (const namespace of summary.namespaces) count(namespaces, namespace);
    count(registries, entry.registry);
    count(copies, summary.copyState);
    for (const result of ['fail', 'warn', 'error'] as const) if (summary[result] > 0) count(results, result);
  }
  return {
    summaries,
    facets: {
      namespaces: facetsOf(namespaces),
      registries: facetsOf(registries),
      copies: facetsOf(copies),
      results: facetsOf(results),
    },
  };
}

/** The most frequent first. */
function facetsOf(counts: ReadonlyMap<string, number> = new Map()): readonly Facet[] {
  return [...counts]
    .sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
    .slice(0, maxFacets)
    .map(([name, count]) => ({ name, count }));
}

/** Failures weigh more than any number of warnings. */
const severityOf = ({ fail, warn, error }: ImageSummary) => (fail + error) * 1_000 + warn;
const vulnerability = ({ vulnerabilities: found }: ImageSummary) =>
  found === undefined ? -1 : ((found.critical * 1_000 + found.high) * 1_000 + found.medium) * 1_000 + found.low;

const byNumber =
  (value: (summary: ImageSummary) => number) =>
  (summary: ImageSummary): Place => ({ value: value(summary), id: summary.entry.id });

const places: Readonly<Record<ImageSort, (summary: ImageSummary) => Place>> = {
  name: ({ entry: { id } }) => ({ value: id, id }),
  workloads: byNumber(({ workloads }) => workloads),
  pods: byNumber(({ pods }) => pods),
  copy: byNumber(({ copyState }) => copyOrder[copyState]),
  results: byNumber(severityOf),
  vulnerabilities: byNumber(vulnerability),
  seen: byNumber(({ entry }) => entry.changedAtMs),
};

function filterOf(query: Query): (summary: ImageSummary) => boolean {
  const words = query.words('q');
  const namespaces = query.set('ns');
  const registries = query.set('registry');
  const copies = query.set('copy');
  const results = query.set('result');
  const running = query.flag('running');
  const pull = query.oneOf('pull', ['failed'] as const);
  const vulnerable = query.set('vuln');
  const repository = query.text('repository');
  return (summary) => {
    const { entry } = summary;
    if (registries && !registries.has(entry.registry)) return false;
    if (repository !== undefined && entry.repository !== repository) return false;
    if (copies && !copies.has(summary.copyState)) return false;
    if (running !== undefined && summary.workloads > 0 !== running) return false;
    if (pull && summary.pullProblem === '') return false;
    if (results && !(['fail', 'warn', 'error'] as const).some((one) => results.has(one) && summary[one] > 0))
      return false;
    if (vulnerable && !(['critical', 'high', 'medium', 'low'] as const).some(has(summary, vulnerable))) return false;
    if (namespaces && ![...summary.namespaces].some((name) => namespaces.has(name))) return false;
    return words.every((word) => isFound(word, summary));
  };
}

const has =
  ({ vulnerabilities: found }: ImageSummary, wanted: ReadonlySet<string>) =>
  (severity: 'critical' | 'high' | 'medium' | 'low') =>
    wanted.has(severity) && (found?.[severity] ?? 0) > 0;

function isFound(word: string, { entry, namespaces, copy, commit }: ImageSummary): boolean {
  if (entry.id.toLowerCase().includes(word) || entry.tag.toLowerCase().includes(word)) return true;
  if (copy?.digest.includes(word) || commit?.digest.includes(word)) return true;
  for (const namespace of namespaces) if (namespace.includes(word)) return true;
  return false;
}

const maxCached = 8;

/**
 * Results by key, for those who ask again soon: all are dropped when the cargo changes, and each when memory is
 * collected. So they are no part of what the facts of images take.
 */
export function createVersionCache<T extends object>(cargo: Pick<Cargo, 'version'>): (key: string, make: () => T) => T {
  const known = new Map<string, WeakRef<T>>();
  let version = -1;
  return (key, make) => {
    if (version !== cargo.version) known.clear();
    version = cargo.version;
    const found = known.get(key)?.deref();
    if (found !== undefined) return found;
    known.delete(key);
    const made = make();
    if (known.size >= maxCached) known.delete(known.keys().next().value as string);
    known.set(key, new WeakRef(made));
    return made;
  };
}
