import type { ApiServerOptions } from '../../src/apiserver/index.ts';
import { allows, type RecordedRequest, type Right } from './access.ts';

type Authorize = NonNullable<ApiServerOptions['authorize']>;
type Interference = (request: RecordedRequest) => Promise<void>;

/** Lets everybody do everything but what it is told to refuse, and notes what one account asks for. */
export interface Recorder {
  readonly authorize: Authorize;
  /** Each request once; without what was refused. */
  readonly requests: () => readonly RecordedRequest[];
  /** The paths that are no resources: discovery, the version. */
  readonly paths: () => readonly string[];
  /** Does something before the next request that this right would allow. */
  readonly before: (right: Right, interfere: Interference) => void;
}

export function createRecorder(user: string, refused: readonly Right[]): Recorder {
  const requests = new Map<string, RecordedRequest>();
  const paths = new Set<string>();
  const waiting = new Map<Right, Interference>();
  return {
    async authorize({ user: { username }, verb, path, resource }) {
      if (username !== user) return true;
      if (!resource) {
        paths.add(`${verb} ${path}`);
        return true;
      }
      const request = { verb, ...resource };
      if (refused.some((right) => allows(right, request))) return false;
      requests.set(JSON.stringify(request), request);
      for (const [right, interfere] of [...waiting]) {
        if (!allows(right, request)) continue;
        waiting.delete(right);
        await interfere(request);
      }
      return true;
    },
    requests: () => [...requests.values()],
    paths: () => [...paths].sort(),
    before: (right, interfere) => void waiting.set(right, interfere),
  };
}
