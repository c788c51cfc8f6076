import type { EventSubject } from '../kube/index.ts';
import { renderGvr } from '../object/index.ts';
import type { PolicyProgram } from '../policy/index.ts';
import type { KindWatch } from './kind-watch.ts';

/** The problem of a policy whose reports lack kinds that cannot be read. */
export interface ReportProblem {
  readonly policy: string;
  readonly subject: EventSubject;
  readonly reason: 'MissingPermission' | 'ListFailed';
  readonly message: string;
}

/** Called when the problem of a policy is new or changed; without a problem when it is resolved. */
export type OnReportProblem = (policy: string, problem: ReportProblem | undefined) => void;

const maxNamed = 3;

/** Reports which policies lack which kinds, once per change. */
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
      ? `reports lack ${names}: grant list and watch to the service account`
      : `reports lack ${names}: ${kinds.find(({ failure }) => !failure?.isForbidden)?.failure?.message}`,
  };
}
