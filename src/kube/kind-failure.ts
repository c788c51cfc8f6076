import { errorMessage } from '../base/index.ts';
import type { KubeObject } from '../object/index.ts';
import { isKubeError } from './errors.ts';
import type { KubeClient, ListOptions, ObjectList, ResourceType, WatchEvent, WatchOptions } from './types.ts';

/** Why the objects of a kind cannot be read now. */
export interface KindFailure {
  /** Missing permissions (RBAC); any other failure may be a fault of the server. */
  readonly isForbidden: boolean;
  readonly message: string;
}

/** Fewer failed lists in a row may be a restart of the API server. */
const minFailures = 3;

/** Wraps a client; reports when lists and watches of a type keep failing, and when they work again. */
export function withFailures(client: KubeClient, onState: (failure: KindFailure | undefined) => void): KubeClient {
  let failures = 0;
  const failed = (thrown: unknown, isList: boolean) => {
    const isForbidden = isKubeError(thrown, 'kube-forbidden');
    if (isList) failures++;
    if (isForbidden || failures >= minFailures) onState({ isForbidden, message: errorMessage(thrown) });
  };
  const worked = () => {
    failures = 0;
    onState(undefined);
  };
  return {
    ...client,
    async *pages<T extends KubeObject>(type: ResourceType, options?: ListOptions): AsyncGenerator<ObjectList<T>> {
      try {
        yield* client.pages<T>(type, options);
      } catch (thrown) {
        if (!options?.signal?.aborted) failed(thrown, true);
        throw thrown;
      }
      worked();
    },
    async *watch<T extends KubeObject>(type: ResourceType, options: WatchOptions): AsyncGenerator<WatchEvent<T>> {
      try {
        for await (const event of client.watch<T>(type, options)) {
          worked();
          yield event;
        }
      } catch (thrown) {
        if (!options.signal?.aborted) failed(thrown, false);
        throw thrown;
      }
    },
  };
}
