import { type Clock, createTimeSlice, errorMessage, isAbort, linkAbort, mapConcurrent } from '../base/index.ts';
import { isKubeError, type KubeClient, type ResourceType } from '../kube/index.ts';
import { type GroupVersionKind, type KubeObject, keyOf, renderGroupResource } from '../object/index.ts';
import type { LookUpAnswer, PolicyProgram } from '../policy/index.ts';
import { type JudgeOptions, judge } from './judge.ts';

/** Whether objects are spared whatever policies say. */
type IsSpared = (kind: GroupVersionKind, metadata: KubeObject['metadata']) => boolean;

export interface RunOptions extends JudgeOptions {
  readonly client: Pick<KubeClient, 'get' | 'pages' | 'delete'>;
  readonly namespaceLabels: (name: string, signal: AbortSignal) => Promise<Readonly<Record<string, string>>>;
  readonly isSpared: IsSpared;
  /** How many objects one run deletes. */
  readonly maxDeletions: number;
  /** How long one run may take. */
  readonly timeoutMs: number;
  readonly onDeleted: (type: ResourceType, object: KubeObject) => void;
  readonly onFailed: (type: ResourceType, object: KubeObject | undefined, message: string) => void;
  readonly clock: Clock;
}

/** What a run did, and what kept it from more. */
export interface RunOutcome {
  readonly deleted: number;
  /** `list pods`, `delete jobs.batch`. */
  readonly forbidden: readonly string[];
  readonly problems: readonly string[];
  /** The limit of a run is reached: there may be more to delete. */
  readonly isCutShort: boolean;
  /** What failed may succeed a little later. */
  readonly mayRetry: boolean;
}

type Propagation = 'Foreground' | 'Background' | 'Orphan';

const concurrentDeletions = 4;
/** How often an object is judged anew that changed since it was read. */
const attempts = 3;
/** After so many failures, the other objects of the kind would fail too. */
const maxFailures = 20;
const maxProblems = 5;
/** Answers to look-ups are kept for one page of objects, and fewer where there are many. */
const maxKnown = 100;

/** One run of one policy. `isCurrent` says whether the policy is still the one that was asked to run. */
export async function runPolicy(
  program: PolicyProgram,
  types: readonly ResourceType[],
  options: RunOptions,
  { isCurrent, signal }: { readonly isCurrent: () => boolean; readonly signal: AbortSignal },
): Promise<RunOutcome> {
  const deadline = linkAbort(signal);
  const cancel = options.clock.after(options.timeoutMs, () => deadline.abort());
  const run = new PolicyRun(program, options, isCurrent, deadline.signal);
  try {
    for (const type of types) await run.cleanUp(type);
  } catch (thrown) {
    if (signal.aborted || !deadline.signal.aborted) throw thrown;
    run.ranOut();
  } finally {
    cancel();
    deadline.unlink();
  }
  return run.outcome();
}

class PolicyRun {
  private deleted = 0;
  /** Deletions under way count, so that the limit holds. */
  private started = 0;
  private mayRetry = false;
  private readonly forbidden = new Set<string>();
  private readonly problems = new Set<string>();
  private readonly slice: () => Promise<void>;

  constructor(
    private readonly program: PolicyProgram,
    private readonly options: RunOptions,
    private readonly isCurrent: () => boolean,
    private readonly signal: AbortSignal,
  ) {
    this.slice = createTimeSlice(options.clock);
  }

  outcome(): RunOutcome {
    return {
      deleted: this.deleted,
      forbidden: [...this.forbidden],
      problems: [...this.problems],
      isCutShort: this.started >= this.options.maxDeletions,
      mayRetry: this.mayRetry,
    };
  }

  async cleanUp(type: ResourceType): Promise<void> {
    const { namespace } = this.program;
    const failures = { count: 0 };
    try {
      const pages = this.options.client.pages<KubeObject>(type, {
        ...(type.namespaced && namespace !== '' ? { namespace } : {}),
        signal: this.signal,
      });
      for await (const { items } of pages) {
        const page = { labels: new Map<string, Promise<Labels>>(), known: new Map<string, LookUpAnswer>() };
        await mapConcurrent(items, concurrentDeletions, async (object) => {
          if (this.isOver() || failures.count >= maxFailures) return;
          await this.slice();
          if (!(await this.handle(type, object, page))) failures.count++;
        });
        if (this.isOver() || failures.count >= maxFailures) return;
      }
    } catch (thrown) {
      if (this.signal.aborted) throw thrown;
      this.fail(type, undefined, 'list', thrown);
    }
  }

  /** The time of the run is over. */
  ranOut(): void {
    this.problems.add(`stopped after ${this.options.timeoutMs / 1000} s (cleanup.timeout); the next run goes on`);
  }

  private isOver(): boolean {
    return this.started >= this.options.maxDeletions || !this.isCurrent();
  }

  /** False if the object should be gone and is not. */
  private async handle(type: ResourceType, read: KubeObject, page: Page): Promise<boolean> {
    let object: KubeObject | undefined = read;
    for (let attempt = 1; ; attempt++) {
      if (!object || !(await this.isDue(type, object, page)) || this.isOver()) return true;
      this.started++;
      try {
        await this.delete(type, object);
        this.deleted++;
        this.options.onDeleted(type, object);
        return true;
      } catch (thrown) {
        this.started--;
        if (this.signal.aborted) throw thrown;
        if (isKubeError(thrown, 'kube-not-found')) return true;
        if (!isKubeError(thrown, 'kube-conflict') || attempt >= attempts) {
          this.fail(type, object, 'delete', thrown);
          return false;
        }
      }
      object = await this.readAgain(type, object);
    }
  }

  private async isDue(type: ResourceType, object: KubeObject, page: Page): Promise<boolean> {
    const { program, options, signal } = this;
    const { namespace = '', deletionTimestamp } = object.metadata;
    if (deletionTimestamp !== undefined || options.isSpared(type, object.metadata)) return false;
    // Whatever matched: nothing outside the namespace of the policy.
    if (program.namespace !== '' && program.namespace !== namespace) return false;
    try {
      const namespaceLabels = namespace === '' ? {} : await this.labelsOf(namespace, page);
      if (page.known.size > maxKnown) page.known.clear();
      const verdict = await judge(program, { type, object, namespaceLabels }, options, { signal, known: page.known });
      if (verdict.kind === 'error') this.note(type, object, verdict.message);
      return verdict.kind === 'delete';
    } catch (thrown) {
      if (signal.aborted) throw thrown;
      this.fail(type, object, 'judge', thrown);
      return false;
    }
  }

  /** Read from the API server for each page: a label that is gone must not delete. */
  private labelsOf(namespace: string, { labels }: Page): Promise<Labels> {
    let found = labels.get(namespace);
    if (!found) labels.set(namespace, (found = this.options.namespaceLabels(namespace, this.signal)));
    return found;
  }

  /** Only the state that was judged is deleted. */
  private delete(type: ResourceType, { metadata }: KubeObject): Promise<void> {
    const { name = '', namespace, uid = '', resourceVersion = '' } = metadata;
    const propagationPolicy = (this.program.policy['spec'] as { readonly deletionPropagationPolicy?: Propagation })
      .deletionPropagationPolicy;
    return this.options.client.delete(
      type,
      { name, namespace },
      { signal: this.signal, preconditions: { uid, resourceVersion }, ...(propagationPolicy && { propagationPolicy }) },
    );
  }

  private async readAgain(type: ResourceType, { metadata }: KubeObject): Promise<KubeObject | undefined> {
    const { name = '', namespace, uid } = metadata;
    try {
      const found = await this.options.client.get<KubeObject>(type, { name, namespace }, { signal: this.signal });
      return found.metadata.uid === uid ? found : undefined;
    } catch (thrown) {
      if (this.signal.aborted) throw thrown;
      if (!isKubeError(thrown, 'kube-not-found')) this.fail(type, undefined, 'get', thrown);
      return undefined;
    }
  }

  private fail(type: ResourceType, object: KubeObject | undefined, verb: string, thrown: unknown): void {
    if (isAbort(thrown)) throw thrown;
    const resource = renderGroupResource(type);
    // A webhook that refuses has the same code, and does not say what of.
    const isMissing = isKubeError(thrown, 'kube-forbidden') && thrown.details?.kind !== undefined;
    if (isMissing) this.forbidden.add(`${verb} ${resource}`);
    else if (verb === 'list' && isKubeError(thrown) && thrown.retry !== 'never') this.mayRetry = true;
    this.note(type, object, `cannot ${verb} ${resource}: ${errorMessage(thrown)}`);
  }

  private note(type: ResourceType, object: KubeObject | undefined, message: string): void {
    const what = object ? `${object.kind} ${keyOf(object)}: ${message}` : message;
    if (this.problems.size < maxProblems) this.problems.add(what);
    this.options.onFailed(type, object, message);
  }
}

type Labels = Readonly<Record<string, string>>;

/** What is known while one page of a list is worked on. */
interface Page {
  readonly labels: Map<string, Promise<Labels>>;
  readonly known: Map<string, LookUpAnswer>;
}
