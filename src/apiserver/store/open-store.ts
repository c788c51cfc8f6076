import { errorMessage, type Logger } from '../../base/index.ts';
import { Journal } from './journal.ts';
import { type Change, Store } from './store.ts';

interface OpenStoreOptions {
  /** Directory of the journal. Without it everything is in memory. */
  readonly dir?: string | undefined;
  readonly log: Logger;
  /** Called for every change once the store is open. */
  readonly observe: (storage: string, change: Change) => void;
}

interface OpenStore {
  readonly store: Store;
  close(): void;
}

/** Opens a store and bounds its journal: a snapshot is written between requests when the log is long. */
export function openStore({ dir, log, observe }: OpenStoreOptions): OpenStore {
  if (dir === undefined) return { store: new Store(undefined, observe), close() {} };
  let journal: Journal | undefined;
  let rotation: NodeJS.Immediate | undefined;
  const rotate = () => {
    rotation = undefined;
    try {
      journal?.rotate(store);
    } catch (thrown) {
      log.warn('writing a snapshot failed', { error: errorMessage(thrown) });
    }
  };
  const store: Store = Journal.open(dir, (opened) => {
    journal = opened;
    return new Store(opened, (storage, change) => {
      observe(storage, change);
      if (opened.wantsRotation) rotation ??= setImmediate(rotate);
    });
  });
  return {
    store,
    close() {
      clearImmediate(rotation);
      journal?.close();
    },
  };
}
