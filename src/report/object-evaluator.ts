import type { Clock } from '../base/index.ts';
import { compareResourceVersions } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import type { LivePolicies } from '../runtime/index.ts';
import { hashBody } from './body-hash.ts';
import type { Controllers } from './controllers.ts';
import { addEphemeral } from './ephemeral.ts';
import {
  evaluateObject,
  type ObjectEvaluationOptions,
  type ObjectPolicyResults,
  type ScannedObject,
} from './evaluate-object.ts';
import type { KeptResults } from './kept-results.ts';
import type { KindWatch } from './kind-watch.ts';
import type { LookUpCache, LookUpTracker } from './look-up-tracker.ts';
import { type ResultContent, referenceTo } from './result.ts';
import type { IndexedResource, ResourceResults, ResultIndex } from './result-index.ts';
import { type IsExcluded, type KindPolicy, renderControllers, sourceOf } from './scope.ts';
import { isSameHash } from './text-hash.ts';

interface ObjectEvaluatorOptions {
  readonly policies: LivePolicies;
  readonly index: ResultIndex;
  readonly tracker: LookUpTracker;
  readonly isExcluded: IsExcluded;
  readonly namespaceLabels: (namespace: string) => Readonly<Record<string, string>>;
  readonly controllers: () => Controllers | undefined;
  /** Results that need not be found again. */
  readonly kept: () => KeptResults | undefined;
  readonly clock: Clock;
}

interface EvaluationTask {
  readonly watch: KindWatch;
  readonly key: string;
  readonly object: KubeObject;
  /** Only these; absent for all of the watch. */
  readonly kindPolicies?: readonly KindPolicy[] | undefined;
  readonly cache: LookUpCache;
  readonly signal: AbortSignal;
  /** When the change was seen. */
  readonly sinceMs: number;
}

interface Evaluated {
  readonly policyResults: readonly ObjectPolicyResults[];
  readonly controllers?: string;
  readonly evaluated: number;
}

/**
 * Evaluates single objects and records the results. One object is never evaluated twice at the same time. Outdated
 * results (the object is gone, the policy changed) are not recorded.
 */
export class ObjectEvaluator {
  private readonly busy = new Map<string, Promise<void>>();

  constructor(private readonly options: ObjectEvaluatorOptions) {}

  /** Returns how many policies were evaluated. */
  async run(task: EvaluationTask): Promise<number> {
    const id = `${task.watch.type.group}/${task.watch.type.version}/${task.watch.type.resource} ${task.key}`;
    for (let other = this.busy.get(id); other; other = this.busy.get(id)) await other;
    if (!isCurrent(task)) return 0;
    const work = this.evaluateTask(task)
      .catch((thrown) => {
        this.leaveOutdated(task);
        throw thrown;
      })
      .finally(() => this.busy.delete(id));
    this.busy.set(
      id,
      work.then(
        () => {},
        () => {},
      ),
    );
    return await work;
  }

  private async evaluateTask(task: EvaluationTask): Promise<number> {
    const { watch, object, signal, cache } = task;
    const { policies, tracker, clock } = this.options;
    const kindPolicies = task.kindPolicies ?? watch.kindPolicies;
    const { namespace = '', name = '' } = object.metadata;
    const isExcluded = this.options.isExcluded(watch.type, namespace, name);
    const found = isExcluded
      ? { policyResults: kindPolicies.map(({ program }) => ({ program, contents: [] })), evaluated: 0 }
      : await this.evaluate(task, kindPolicies, {
          exceptions: policies.current.exceptions,
          lookUpsFor: (policy) => tracker.lookUpsFor(policy, namespace, cache),
          now: clock.now(),
          signal,
        });
    const { policyResults, controllers, evaluated } = found;
    if (signal.aborted || !isCurrent(task)) return evaluated;
    const { current } = policies;
    const contents: ResultContent[] = [];
    const entered = new Set<string>();
    const overtaken = new Set<string>();
    for (const { program, contents: own } of policyResults) {
      if (current.get(program.key) !== program) overtaken.add(program.key);
      else {
        entered.add(program.key);
        contents.push(...own);
      }
    }
    const isInScope = task.kindPolicies
      ? (policy: string) => entered.has(policy)
      : (policy: string) => !overtaken.has(policy) && !this.isForAdmission(policy);
    const resource = this.record(watch, object, { isInScope, contents, sinceMs: task.sinceMs });
    if (resource && resource.controllers !== controllers)
      resource.controllers = task.kindPolicies ? undefined : controllers;
    return evaluated;
  }

  private async evaluate(
    { watch, key, object, signal, ...task }: EvaluationTask,
    kindPolicies: readonly KindPolicy[],
    options: ObjectEvaluationOptions,
  ): Promise<Evaluated> {
    const controllers = this.options.controllers();
    await controllers?.load(object, signal);
    const subject: ScannedObject = {
      object,
      kind: watch.type,
      namespaceLabels: this.options.namespaceLabels(object.metadata.namespace ?? ''),
      controllers: controllers?.of(object) ?? [],
    };
    const keptResults = this.options.kept();
    const kept = task.kindPolicies ? undefined : keptResults?.of(watch, subject, watch.informer.get(key));
    const open = kept ? kindPolicies.filter(({ program }) => !keptResults?.covers(program)) : kindPolicies;
    const evaluate = (of: ScannedObject) => evaluateObject(of, open, options);
    const evaluated = open.length === 0 ? [] : await addEphemeral(subject, await evaluate(subject), evaluate);
    const policyResults = kept
      ? [
          ...evaluated,
          ...kindPolicies
            .filter((kindPolicy) => !open.includes(kindPolicy))
            .map(({ program }) => ({ program, contents: kept.get(program.key) ?? [] })),
        ]
      : evaluated;
    return { policyResults, controllers: renderControllers(subject.controllers), evaluated: open.length };
  }

  /** Its results are of an earlier form: no checkpoint may hold them beside this one. */
  private leaveOutdated({ watch, object }: EvaluationTask): void {
    const resource = watch.resources.get(object.metadata.uid ?? '');
    if (resource) resource.controllers = undefined;
  }

  private record(watch: KindWatch, object: KubeObject, results: ResourceResults): IndexedResource | undefined {
    const { index } = this.options;
    const uid = object.metadata.uid ?? '';
    let resource = watch.resources.get(uid);
    if (!resource && results.contents.length === 0) return undefined;
    if (!resource) watch.resources.set(uid, (resource = index.addResource(referenceTo(object))));
    index.put(resource, results);
    return resource;
  }

  private isForAdmission(policy: string): boolean {
    const program = this.options.policies.current.get(policy);
    return program !== undefined && sourceOf(program) === 'admission';
  }
}

/**
 * False when the object is gone. For an object from a list, also when a newer, different form was observed: that one is
 * evaluated separately, with the current policies.
 */
function isCurrent({ watch, key, object, kindPolicies }: EvaluationTask): boolean {
  const seen = watch.informer.get(key);
  if (!seen || seen.uid !== (object.metadata.uid ?? '')) return false;
  if (!kindPolicies) return true;
  const order = compareResourceVersions(object.metadata.resourceVersion ?? '', seen.version);
  return (order ?? 0) >= 0 || isSameHash(hashBody(object), seen.body);
}
