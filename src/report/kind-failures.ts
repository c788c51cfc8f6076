import { errorMessage } from '../base/index.ts';
import type { ResourceType, WatchEvent, WatchOptions } from '../kube/index.ts';
import { type EventSubject, isKubeError, type KubeClient, type ListOptions, type ObjectList } from '../kube/index.ts';
import { type KubeObject, renderGvr } from '../object/index.ts';
import type { PolicyProgram } from '../policy/index.ts';
import type { KindWatch } from './kind-watch.ts';

/** Why the objects of a kind cannot be read at the moment. */
export interface KindFailure {
  /** The API server refuses it by our rights; anything else may be a fault of the server. */
  readonly isForbidden: boolean;
  readonly message: string;
}

/** Fewer failed lists in a row may be a restart of the API server. */
const minFailures = 3;

/** The same client; says when lists and watches of a type fail for more than a moment, and when they work again. */
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

/** A policy whose reports lack kinds that cannot be read. */
export interface ReportProblem {
  readonly policy: string;
  readonly subject: EventSubject;
  readonly reason: 'MissingPermission' | 'ListFailed';
  readonly message: string;
}

/** Called when the problem of a policy is new or has changed; without one when it is over. */
export type OnReportProblem = (policy: string, problem: ReportProblem | undefined) => void;

const maxNamed = 3;

/** Tells which policies lack what, once per change. */
export class KindFailures {
  private readonly reported = new Map<string, string>();

  constructor(private readonly onProblem: OnReportProblem) {}

  update(watches: Iterable<KindWatch>, programOf: (policy: string) => PolicyProgram | undefined): void {
    const failing = new Map<string, KindWatch[]>();
    for (const watch of watches)
      if (watch.failure)
        for (const policy of watch.policies) failing.set(policy, [...(failing.get(policy) ?? []), watch]);
    for (const policy of [...this.reported.keys()]) if (!failing.has(policy)) this.clear(policy);
    for (const [policy, kinds] of failing) {
      const program = programOf(policy);
      if (!program) continue;
      const problem = problemOf(program, kinds);
      if (this.reported.get(policy) === problem.message) continue;
      this.reported.set(policy, problem.message);
      this.onProblem(policy, problem);
    }
  }

  clearAll(): void {
    for (const policy of [...this.reported.keys()]) this.clear(policy);
  }

  private clear(policy: string): void {
    this.reported.delete(policy);
    this.onProblem(policy, undefined);
  }
}

function problemOf({ key, policy: { apiVersion, kind, metadata } }: PolicyProgram, kinds: KindWatch[]): ReportProblem {
  const isForbidden = kinds.every(({ failure }) => failure?.isForbidden);
  const sorted = kinds.map(({ type }) => renderGvr(type)).sort();
  const more = sorted.length > maxNamed ? ` and ${sorted.length - maxNamed} more` : '';
  const names = `${sorted.slice(0, maxNamed).join(', ')}${more}`;
  return {
    policy: key,
    subject: { apiVersion, kind, name: metadata.name ?? '', namespace: metadata.namespace, uid: metadata.uid },
    reason: isForbidden ? 'MissingPermission' : 'ListFailed',
    message: isForbidden
      ? `reports leave out ${names}: grant list and watch to the service account`
      : `reports leave out ${names}: ${kinds.find(({ failure }) => !failure?.isForbidden)?.failure?.message}`,
  };
}
