import {
  type Clock,
  errorMessage,
  type Logger,
  orAborted,
  parseDurationMs,
  renderJson,
  SupercargoError,
} from '../base/index.ts';
import { compile, type Program } from '../jmespath/index.ts';
import { createInformer, type Discovery, type Informer, type KubeClient } from '../kube/index.ts';
import { type KubeObject, renderGvr } from '../object/index.ts';
import type { LookUp } from '../policy/index.ts';

export class GlobalContextError extends SupercargoError {
  declare readonly code: 'look-up-global';

  constructor(message: string) {
    super('look-up-global', message);
  }
}

interface KeyValue {
  readonly key: string;
  readonly value: unknown;
}

/** `spec` of a GlobalContextEntry. */
export interface GlobalEntrySpec {
  readonly kubernetesResource?: {
    readonly group?: string;
    readonly version: string;
    readonly resource: string;
    readonly namespace?: string;
  };
  readonly apiCall?: {
    readonly urlPath?: string;
    readonly method?: 'GET' | 'POST';
    readonly data?: readonly KeyValue[];
    readonly service?: { readonly url: string; readonly caBundle?: string; readonly headers?: readonly KeyValue[] };
    readonly refreshInterval?: string;
    readonly retryLimit?: number;
  };
  readonly projections?: readonly { readonly name: string; readonly jmesPath: string }[];
}

export interface GlobalEntryOptions {
  readonly client: KubeClient;
  readonly discovery: Pick<Discovery, 'byResource'>;
  /** Makes a call as a policy of the cluster would, within the same bounds. */
  readonly call: (lookUp: LookUp, signal: AbortSignal) => Promise<unknown>;
  /** Objects and bytes that one entry may hold. */
  readonly maxObjects: number;
  readonly maxBytes: number;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The data of an entry at one time; another version is other data. */
interface Snapshot {
  readonly version: number;
  readonly value: unknown;
}

interface Source {
  read(signal: AbortSignal): Promise<Snapshot>;
  /** When the data was last fetched; undefined for what is watched. */
  readonly refreshedMs: number | undefined;
  stop(): void;
}

/** The data of one GlobalContextEntry, kept current, with its projections. */
export class GlobalEntry {
  private readonly source: Source;
  private readonly projections: ReadonlyMap<string, Program>;
  private projected: { readonly version: number; readonly values: Map<string, unknown> } | undefined;

  /** Throws for a spec that cannot be used. */
  constructor(
    spec: GlobalEntrySpec,
    private readonly options: GlobalEntryOptions,
  ) {
    this.projections = new Map((spec.projections ?? []).map(({ name, jmesPath }) => [name, compile(jmesPath)]));
    if (spec.kubernetesResource) this.source = new WatchedObjects(spec.kubernetesResource, options);
    else if (spec.apiCall) this.source = new RefreshedCall(spec.apiCall, options);
    else throw new GlobalContextError('one of kubernetesResource and apiCall is required');
  }

  get refreshedMs(): number | undefined {
    return this.source.refreshedMs;
  }

  get projectionNames(): readonly string[] {
    return [...this.projections.keys()];
  }

  /** All of it, or one projection. Evaluated once for each state of the data. */
  async read(projection: string, signal: AbortSignal): Promise<unknown> {
    const { version, value } = await this.source.read(signal);
    if (projection === '') return value;
    const program = this.projections.get(projection);
    if (!program) throw new GlobalContextError(`it has no projection ${JSON.stringify(projection)}`);
    if (this.projected?.version !== version) this.projected = { version, values: new Map() };
    const { values } = this.projected;
    if (!values.has(projection)) {
      values.set(projection, program.evaluate(value, { clock: this.options.clock, random: () => 0 }));
    }
    return values.get(projection);
  }

  stop(): void {
    this.source.stop();
  }
}

const retryAfterMs = 10_000;
/** Objects may have become fewer; each attempt reads up to the limit. */
const tooLargeAgainMs = 60_000;

/** One attempt to hold the objects; the next begins with none. */
interface Holding {
  readonly informer: Promise<Informer<KubeObject>>;
  /** Aborted when it is stopped, or holds too much. */
  readonly end: AbortController;
  isTooLarge: boolean;
}

/** The objects of one kind, in one namespace or all. */
class WatchedObjects implements Source {
  readonly refreshedMs = undefined;
  private version = 0;
  private snapshot: Snapshot | undefined;
  private holding: Holding | undefined;
  private isStopped = false;

  constructor(
    private readonly spec: NonNullable<GlobalEntrySpec['kubernetesResource']>,
    private readonly options: GlobalEntryOptions,
  ) {}

  async read(signal: AbortSignal): Promise<Snapshot> {
    if (this.isStopped) throw new GlobalContextError('it was changed or deleted');
    const holding = (this.holding ??= this.hold());
    const informer = await orAborted(holding.informer, signal);
    if (!informer.hasSynced && !holding.isTooLarge)
      await informer.settled(AbortSignal.any([signal, holding.end.signal])).catch((thrown) => {
        if (!holding.isTooLarge) throw thrown;
      });
    if (holding.isTooLarge) {
      const { maxObjects, maxBytes } = this.options;
      throw new GlobalContextError(`it holds more than ${maxObjects} objects or ${maxBytes >> 20} MiB`);
    }
    if (!informer.hasSynced) throw new GlobalContextError(informer.failing?.error ?? 'it cannot be listed');
    if (this.snapshot?.version !== this.version) this.snapshot = { version: this.version, value: informer.list() };
    return this.snapshot;
  }

  /** What failed to start, because the kind is not served yet, or holds too much, is started again some time later. */
  private hold(): Holding {
    const end = new AbortController();
    const again = (afterMs: number) =>
      this.options.clock.after(afterMs, () => {
        this.holding = undefined;
      });
    const informer = this.start(end.signal, () => {
      if (holding.isTooLarge) return;
      holding.isTooLarge = true;
      this.snapshot = undefined;
      end.abort();
      again(tooLargeAgainMs);
    });
    informer.catch(() => again(retryAfterMs));
    const holding: Holding = { informer, end, isTooLarge: false };
    return holding;
  }

  private async start(signal: AbortSignal, onTooLarge: () => void): Promise<Informer<KubeObject>> {
    const { client, discovery, clock, log, maxObjects, maxBytes } = this.options;
    const { group = '', version, resource, namespace } = this.spec;
    const type = await discovery.byResource({ group, version, resource }, { signal });
    if (!type) {
      throw new GlobalContextError(`the cluster does not serve ${renderGvr({ group, version, resource })}`);
    }
    const place = namespace && type.namespaced ? { namespace } : {};
    const informer = createInformer<KubeObject>({ client, type, ...place, project: withoutBookkeeping, clock, log });
    const sizes = new Map<string, number>();
    let total = 0;
    const resize = (key: string, bytes: number) => {
      this.version++;
      total += bytes - (sizes.get(key) ?? 0);
      if (bytes === 0) sizes.delete(key);
      else sizes.set(key, bytes);
      if (sizes.size > maxObjects || total > maxBytes) onTooLarge();
    };
    informer.addHandler({
      onAdd: ({ key, stored }) => resize(key, renderJson(stored).length),
      onUpdate: ({ key, stored }) => resize(key, renderJson(stored).length),
      onDelete: ({ key }) => resize(key, 0),
    });
    informer.run(signal).catch(() => {});
    return informer;
  }

  stop(): void {
    this.isStopped = true;
    this.holding?.end.abort();
  }
}

function withoutBookkeeping(object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

const shortestIntervalMs = 5_000;
const mostAttempts = 10;
const attemptPauseMs = 1_000;

/** The answer to a call that is made again and again. */
class RefreshedCall implements Source {
  refreshedMs: number | undefined;
  private readonly end = new AbortController();
  private readonly first: Promise<void>;
  private latest: Snapshot | { readonly error: string } = { error: 'it was not called yet' };
  private version = 0;

  constructor(
    private readonly spec: NonNullable<GlobalEntrySpec['apiCall']>,
    private readonly options: GlobalEntryOptions,
  ) {
    const lookUp = callOf(spec);
    const intervalMs = Math.max(shortestIntervalMs, parseDurationMs(spec.refreshInterval ?? '10m'));
    this.first = this.refresh(lookUp);
    this.first.then(() => this.repeat(lookUp, intervalMs)).catch(() => {});
  }

  async read(signal: AbortSignal): Promise<Snapshot> {
    await orAborted(this.first, signal);
    if ('error' in this.latest) throw new GlobalContextError(this.latest.error);
    return this.latest;
  }

  private async repeat(lookUp: LookUp, intervalMs: number): Promise<void> {
    const { signal } = this.end;
    while (!signal.aborted) {
      await this.options.clock.sleep(intervalMs, signal);
      await this.refresh(lookUp);
    }
  }

  /** A call that fails leaves nothing: data that is old without saying so would decide. */
  private async refresh(lookUp: LookUp): Promise<void> {
    const { call, clock, log } = this.options;
    const { signal } = this.end;
    const attempts = Math.min(mostAttempts, Math.max(1, this.spec.retryLimit ?? 3));
    for (let attempt = 1; ; attempt++) {
      try {
        const value = await call(lookUp, signal);
        this.latest = { version: ++this.version, value };
        this.refreshedMs = clock.now();
        return;
      } catch (thrown) {
        if (signal.aborted) throw thrown;
        this.latest = { error: errorMessage(thrown) };
        if (attempt >= attempts) return log.warn('global context call failed', { error: errorMessage(thrown) });
      }
      await clock.sleep(attemptPauseMs * attempt, signal);
    }
  }

  stop(): void {
    this.end.abort();
  }
}

function callOf({ urlPath, method = 'GET', data, service }: NonNullable<GlobalEntrySpec['apiCall']>): LookUp {
  const pairs = (list: readonly KeyValue[] = []) => Object.fromEntries(list.map(({ key, value }) => [key, value]));
  const body = method === 'POST' ? { data: pairs(data) } : {};
  if (service) {
    const headers = pairs(service.headers) as Readonly<Record<string, string>>;
    const ca = service.caBundle ? { caBundle: service.caBundle } : {};
    return { kind: 'serviceCall', method, url: service.url, headers, ...ca, ...body };
  }
  if (!urlPath) throw new GlobalContextError('apiCall: one of urlPath and service is required');
  return { kind: 'apiCall', method, urlPath, ...body };
}
