import { describe, expect, it } from 'vitest';
import { factMakers, image, pod } from '../../test/support/dashboard-facts.ts';
import { createApi } from './api.ts';
import { Cargo } from './cargo.ts';
import type { ImagesAnswer, ShownKind } from './protocol.ts';
import { Query } from './query.ts';
import { shownKinds, Visibility } from './visibility.ts';

/**
 * For each set of rights in one namespace: all answers are equal whether or not the cluster has the objects that these
 * rights do not show. So no row, count, order, cursor or time tells anything of them.
 */

const nowMs = Date.parse('2026-01-01T00:00:00Z');
const other = 'docker.io/library/redis:7';

const paths = [
  '/api/overview',
  '/api/images',
  '/api/images?limit=1',
  ...['workloads', 'pods', 'copy', 'results', 'vulnerabilities', 'seen'].map((sort) => `/api/images?sort=${sort}`),
  '/api/images?q=theirs',
  '/api/images?ns=theirs',
  `/api/image?id=${image}`,
  `/api/image?id=${other}`,
  '/api/copies',
  '/api/pipeline',
  '/api/detections',
  `/api/detections?image=${image}`,
  '/api/results',
  `/api/results?image=${image}`,
  ...['namespace', 'policy', 'severity'].map((by) => `/api/results/groups?by=${by}`),
  '/api/jobs',
];

/** A cluster with what is seen, and what is `hidden` put before or after it. */
function answersOf(sees: Visibility, hidden: 'none' | 'before' | 'after'): unknown[] {
  let now = nowMs;
  const cargo = new Cargo(() => (now += 60_000));
  const put = (isSeen: boolean) => {
    for (const kind of shownKinds)
      for (const namespace of kind === 'mirroredimages' ? [''] : ['mine', 'theirs'])
        if (sees.sees(kind, namespace) === isSeen) factMakers[kind](cargo, namespace);
  };
  // Another image is always seen, and changes between the two: an order by time would show which came later.
  const another = [{ container: 'app', image: other, source: other }];
  if (hidden === 'before') put(false);
  put(true);
  cargo.putPod('mine/own', {
    ...pod('mine'),
    name: 'own',
    ownerKind: '',
    ownerName: '',
    deployment: '',
    images: another,
  });
  if (hidden === 'after') put(false);
  const api = createApi({
    cargo,
    syncRuns: () => [],
    system: async () => ({}) as never,
    explain: async () => undefined,
    clock: { now: () => nowMs } as never,
  });
  const viewer = { user: 'ann', method: 'token', sees, mayGet: async () => true } as const;
  return paths.map((path) => {
    const { pathname, searchParams } = new URL(path, 'http://host');
    return api(pathname, new Query(searchParams), viewer, new AbortController().signal);
  });
}

const namespaced = shownKinds.filter((kind) => kind !== 'mirroredimages');
const inMine = (kinds: readonly ShownKind[]) =>
  new Visibility(new Set(), new Map(kinds.map((kind) => [kind, new Set(['mine'])])));
const rights: readonly (readonly [string, Visibility])[] = [
  ['nothing', inMine([])],
  ...namespaced.map((kind) => [`${kind} in one namespace`, inMine([kind])] as const),
  ...namespaced.map((kind) => [`${kind} in one namespace and pods there`, inMine(['pods', kind])] as const),
  ['every kind in one namespace', inMine(namespaced)],
  // Pods in one namespace, and something else in another.
  ...namespaced
    .filter((kind) => kind !== 'pods')
    .map(
      (kind) =>
        [
          `pods in one namespace and ${kind} in both`,
          new Visibility(
            new Set(),
            new Map([
              ['pods', new Set(['mine'])],
              [kind, new Set(['mine', 'theirs'])],
            ]),
          ),
        ] as const,
    ),
  ['copies and nothing else', new Visibility(new Set(['mirroredimages']), new Map())],
  [
    'reports and events everywhere, and pods in one namespace',
    new Visibility(new Set(['policyreports', 'events', 'mirroredimages']), new Map([['pods', new Set(['mine'])]])),
  ],
];

describe('what somebody who may list few objects learns of the others from all answers', () => {
  for (const [name, sees] of rights)
    it(`is nothing: ${name}`, () => {
      const without = answersOf(sees, 'none');
      for (const hidden of ['before', 'after'] as const)
        answersOf(sees, hidden).forEach((answer, index) => {
          expect(answer, `${paths[index]} with hidden objects ${hidden}`).toEqual(without[index]);
        });
    });

  it('compares what is told: who may list everything of one namespace gets something of each kind', () => {
    const sees = inMine(namespaced);
    const [overview, list] = answersOf(sees, 'after') as [object, ImagesAnswer];
    expect(overview).toMatchObject({
      images: { total: 2 },
      results: { fail: 2 },
      jobs: { failed: 1 },
      detections: { failed: 1 },
      vulnerabilities: { critical: 1 },
    });
    expect(list.items).toMatchObject([{ id: image, workloads: 1, pods: 1, results: { fail: 2 } }, { id: other }]);
    const detail = answersOf(sees, 'after')[paths.indexOf(`/api/image?id=${image}`)];
    for (const part of ['runs', 'jobs', 'results', 'detections', 'vulnerabilityReports', 'events'])
      expect(detail).toHaveProperty([part, 'items', 0]);
  });
});
