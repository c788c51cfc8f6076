import type { Clock } from '../base/index.ts';
import type { Viewer } from './access.ts';
import type { Cargo } from './cargo.ts';
import { imageAnswer } from './image-detail.ts';
import { createImagesQuery, createVersionCache, createVisibleImages } from './images-query.ts';
import { copiesAnswer, detectionsAnswer, jobsAnswer, pipelineAnswer, resultsAnswer } from './lists.ts';
import { overviewOf } from './overview.ts';
import type { ExplainAnswer, Overview, SystemAnswer } from './protocol.ts';
import { InvalidQuery, type Query } from './query.ts';
import { resultGroups } from './result-groups.ts';
import type { SyncRun } from './sync-runs.ts';

interface ApiOptions {
  readonly cargo: Cargo;
  /** The newest first. */
  readonly syncRuns: () => readonly SyncRun[];
  /** What the answer about the system needs beyond the cargo. */
  readonly system: (viewer: Viewer, signal: AbortSignal) => Promise<SystemAnswer>;
  readonly explain: (query: Query, viewer: Viewer, signal: AbortSignal) => Promise<ExplainAnswer | undefined>;
  readonly clock: Clock;
}

/** An answer of the API by path; undefined if there is none. */
export type Api = (path: string, query: Query, viewer: Viewer, signal: AbortSignal) => unknown;

type Answer = (query: Query, viewer: Viewer, signal: AbortSignal) => unknown;

export function createApi({ cargo, syncRuns, system, explain, clock }: ApiOptions): Api {
  const readVisible = createVisibleImages(cargo);
  const images = createImagesQuery(cargo, readVisible);
  const overview = createVersionCache<Overview>(cargo);
  const answers = new Map<string, Answer>([
    [
      '/api/overview',
      (query, { sees }) => {
        const words = query.words('q');
        const answer = () => overviewOf({ cargo, readVisible, sees, syncRuns: syncRuns(), nowMs: clock.now(), words });
        return overview(`${sees.key} ${words.join(' ')}`, answer);
      },
    ],
    ['/api/images', (query, { sees }) => images(query, sees)],
    [
      '/api/image',
      (query, { sees }) => {
        const id = query.text('id');
        if (id === undefined) throw new InvalidQuery('id names the image');
        return imageAnswer(cargo, id, sees);
      },
    ],
    ['/api/copies', (query, { sees }) => copiesAnswer(cargo, query, sees)],
    ['/api/pipeline', (query, { sees }) => pipelineAnswer(cargo, query, sees)],
    ['/api/detections', (query, { sees }) => detectionsAnswer(cargo, query, sees)],
    ['/api/results', (query, { sees }) => resultsAnswer(cargo, query, sees)],
    ['/api/results/groups', (query, { sees }) => resultGroups(cargo, query, sees)],
    ['/api/jobs', (query, { sees }) => jobsAnswer(cargo, query, sees)],
    ['/api/system', (_, viewer, signal) => system(viewer, signal)],
    ['/api/explain', explain],
  ]);
  return (path, query, viewer, signal) => answers.get(path)?.(query, viewer, signal);
}
