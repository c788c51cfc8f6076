import type { KubeClient, ListOptions, ObjectList, ResourceType, WatchEvent, WatchOptions } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';

/**
 * A client whose lists and watches wait until their objects are processed. An informer that reads through it holds at
 * most one page of whole objects in memory, however many the cluster has.
 */
export function withBackpressure(client: KubeClient, untilRoom: (signal?: AbortSignal) => Promise<void>): KubeClient {
  return {
    ...client,
    async *pages<T extends KubeObject>(type: ResourceType, options?: ListOptions): AsyncGenerator<ObjectList<T>> {
      for await (const page of client.pages<T>(type, options)) {
        yield page;
        await untilRoom(options?.signal);
      }
    },
    async *watch<T extends KubeObject>(type: ResourceType, options: WatchOptions): AsyncGenerator<WatchEvent<T>> {
      for await (const event of client.watch<T>(type, options)) {
        yield event;
        await untilRoom(options.signal);
      }
    },
  };
}
