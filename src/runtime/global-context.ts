import { errorMessage, whenAborted } from '../base/index.ts';
import { type Informer, type InformerFactory, isLasting, type ResourceType } from '../kube/index.ts';
import { deepEqual, type KubeObject } from '../object/index.ts';
import { GlobalContextError, GlobalEntry, type GlobalEntryOptions, type GlobalEntrySpec } from './global-entry.ts';

export const globalContextType: ResourceType = {
  group: 'kyverno.io',
  version: 'v2',
  resource: 'globalcontextentries',
  kind: 'GlobalContextEntry',
  namespaced: false,
};

/** Whether an entry has data, and since when. */
interface GlobalEntryState {
  readonly problem: string | undefined;
  readonly refreshedMs: number | undefined;
}

/** The data of GlobalContextEntries. Fetched and kept from the first look-up on: nobody pays for entries that are not read. */
export interface GlobalContext {
  /** Undefined if there is no such entry. Rejects if there is, and its data cannot be had. */
  read(name: string, projection: string, signal: AbortSignal): Promise<{ readonly value: unknown } | undefined>;
  stateOf(name: string, signal: AbortSignal): Promise<GlobalEntryState | undefined>;
  /** Keeps data until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

interface GlobalContextOptions extends GlobalEntryOptions {
  readonly informers: InformerFactory;
}

/** More entries than these have no data: each takes memory. */
const maxEntries = 100;

type Kept = GlobalEntry | GlobalContextError;

export function createGlobalContext(options: GlobalContextOptions): GlobalContext {
  const kept = new Map<string, Kept>();
  let informer: Informer<KubeObject> | undefined;
  const forget = (name: string) => {
    const entry = kept.get(name);
    if (entry instanceof GlobalEntry) entry.stop();
    kept.delete(name);
  };
  const entries = (): Informer<KubeObject> => {
    if (informer) return informer;
    informer = options.informers.for<KubeObject>(globalContextType, { isOptional: true });
    informer.addHandler({
      onUpdate: ({ key, stored, previous }) => !deepEqual(stored['spec'], previous['spec']) && forget(key),
      onDelete: ({ key }) => forget(key),
    });
    return informer;
  };
  const find = async (name: string, signal: AbortSignal): Promise<Kept | undefined> => {
    const source = entries();
    await source.settled(signal);
    if (!source.hasSynced && isLasting(source.failing?.code))
      throw new GlobalContextError(`global context entries cannot be read: ${source.failing?.error}`);
    const object = source.get(name);
    if (!object) return undefined;
    let entry = kept.get(name);
    if (entry) return entry;
    // Not noted: there is room again when another is deleted.
    if (kept.size >= maxEntries) return tooMany;
    kept.set(name, (entry = open(object)));
    return entry;
  };
  const open = (object: KubeObject): Kept => {
    try {
      return new GlobalEntry((object['spec'] ?? {}) as GlobalEntrySpec, options);
    } catch (thrown) {
      return new GlobalContextError(errorMessage(thrown));
    }
  };
  const tooMany = new GlobalContextError(`only ${maxEntries} global context entries are kept`);

  return {
    async read(name, projection, signal) {
      const entry = await find(name, signal);
      if (!entry) return undefined;
      try {
        if (entry instanceof GlobalContextError) throw entry;
        return { value: await entry.read(projection, signal) };
      } catch (thrown) {
        if (signal.aborted) throw thrown;
        throw new GlobalContextError(`global context entry ${name}: ${errorMessage(thrown)}`);
      }
    },
    async stateOf(name, signal) {
      const entry = await find(name, signal);
      if (!entry) return undefined;
      if (entry instanceof GlobalContextError) return { problem: entry.message, refreshedMs: undefined };
      try {
        for (const projection of ['', ...entry.projectionNames]) await entry.read(projection, signal);
        return { problem: undefined, refreshedMs: entry.refreshedMs };
      } catch (thrown) {
        if (signal.aborted) throw thrown;
        return { problem: errorMessage(thrown), refreshedMs: entry.refreshedMs };
      }
    },
    async run(signal) {
      await whenAborted(signal);
      for (const name of [...kept.keys()]) forget(name);
    },
  };
}
