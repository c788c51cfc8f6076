import { whenAborted } from '../base/index.ts';
import type { Added, Deleted, Informer, Updated } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import type { Source } from './controller.ts';
import { type Runnable, startOrder } from './stages.ts';

/** Any change that an informer passes to its handlers. */
export type InformerChange<T extends KubeObject, S> = Added<T, S> | Updated<T, S> | Deleted<T, S>;

/**
 * Feeds the key of every existing, changed or deleted object. With `keysOf`, feeds the keys that it returns instead:
 * those of the owner, of the matching policies, or none.
 */
export function informerSource<T extends KubeObject, S>(
  informer: Pick<Informer<T, S>, 'addHandler'>,
  keysOf: (change: InformerChange<T, S>) => Iterable<string> = ({ key }) => [key],
): Source {
  return async (sink, signal) => {
    if (signal.aborted) return;
    const feed = (change: InformerChange<T, S>) => {
      for (const key of keysOf(change)) sink.add(key);
    };
    const removeHandler = informer.addHandler({ onAdd: feed, onUpdate: feed, onDelete: feed });
    await whenAborted(signal);
    removeHandler();
  };
}

/** An informer as a runnable of the manager: started before controllers, ready when its first list is complete. */
export function informerRunnable(
  name: string,
  informer: Pick<Informer<KubeObject, unknown>, 'run' | 'hasSynced'>,
): Runnable {
  return {
    name,
    order: startOrder.sources,
    run: (signal) => informer.run(signal),
    ready: () => informer.hasSynced || 'first list not complete',
  };
}
