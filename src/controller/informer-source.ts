import type { Added, Deleted, Informer, Updated } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { whenAborted } from './abort.ts';
import type { Source } from './controller.ts';
import { type Runnable, startOrder } from './stages.ts';

/** What an informer tells its handlers, whichever it was. */
export type InformerChange<T extends KubeObject, S> = Added<T, S> | Updated<T, S> | Deleted<T, S>;

/**
 * Feeds the key of every object that is there, and of every one that changes or goes. With `keysOf`, feeds what it
 * answers instead: the keys of the owner, of the policies that match, or none.
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

/** An informer as a part of the manager: started before controllers, ready when its first list is complete. */
export function informerRunnable(
  name: string,
  informer: Pick<Informer<KubeObject, unknown>, 'run' | 'hasSynced'>,
): Runnable {
  return {
    name,
    order: startOrder.sources,
    run: (signal) => informer.run(signal),
    ready: () => informer.hasSynced || 'has not listed everything yet',
  };
}
