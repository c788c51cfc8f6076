import type { KubeObject } from '../../object/index.ts';
import type { EvaluatedResource } from '../apply.ts';
import { type EntryOptions, entryOf, isBlocking, type ReportEntry, type Summary, statuses } from './entry.ts';

export interface FindingOptions extends EntryOptions {
  /** `notable`: what failed, and mutations and generations; the others are only counted. */
  readonly entries: 'all' | 'notable';
  /** Which resources are handed on as the policies leave them, with what was generated. */
  readonly objects: 'none' | 'changed' | 'all';
}

/** What all policies said of one resource: plain data, and no more of it than was asked for. */
export interface Finding {
  readonly summary: Summary;
  /** True when admission would have refused the resource. */
  readonly isBlocked: boolean;
  readonly entries: readonly ReportEntry[];
  readonly object?: KubeObject;
  readonly generated?: readonly KubeObject[];
}

export function findingOf(evaluated: EvaluatedResource, options: FindingOptions): Finding {
  const { rules: responses, resource, object } = evaluated.response;
  const summary = emptySummary();
  const entries: ReportEntry[] = [];
  const generated: KubeObject[] = [];
  let isBlocked = false;
  for (const response of responses) {
    const { status, rule } = response.result;
    const isQuiet =
      status === 'skip' || (status === 'pass' && (rule.phase === 'validate' || rule.phase === 'verifyImages'));
    if (response.result.generated && options.objects !== 'none') generated.push(...response.result.generated);
    if (response.result.targets && options.objects !== 'none') generated.push(...response.result.targets);
    if (isQuiet && options.entries === 'notable') {
      summary[status]++;
      continue;
    }
    const entry = entryOf(response, evaluated, options);
    summary[entry.result]++;
    isBlocked ||= isBlocking(entry);
    entries.push(entry);
  }
  const isShown = options.objects === 'all' || (options.objects === 'changed' && object !== resource);
  return {
    summary,
    isBlocked,
    entries,
    ...(isShown && object ? { object: evaluated.hasNamespace ? object : withoutNamespace(object) } : {}),
    ...(generated.length > 0 ? { generated } : {}),
  };
}

/** As it is written: a namespace that was filled in would decide where `kubectl apply -n` puts it. */
function withoutNamespace({ metadata, ...rest }: KubeObject): KubeObject {
  const { namespace, ...others } = metadata;
  return { ...rest, metadata: namespace === 'default' ? others : metadata } as KubeObject;
}

export function emptySummary(): { -readonly [K in keyof Summary]: Summary[K] } {
  return Object.fromEntries(statuses.map((status) => [status, 0])) as { -readonly [K in keyof Summary]: Summary[K] };
}
