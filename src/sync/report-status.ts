import { type Clock, errorMessage, type Logger, mapConcurrent, renderYaml, rfc3339 } from '../base/index.ts';
import type { PolicyStatus } from '../insights/index.ts';
import type { KubeObject } from '../object/index.ts';
import type { Operation } from './plan.ts';
import type { SyncResult } from './result.ts';

/** Reports the outcome of one policy to Insights. Wired by `app`. */
export type ReportPolicy = (status: PolicyStatus, signal: AbortSignal) => Promise<void>;

interface StatusReportOptions {
  readonly report: ReportPolicy;
  readonly clock: Clock;
  readonly log: Logger;
  /** For all reports together. */
  readonly limitMs: number;
}

const concurrency = 4;
/** After this many consecutive failures Insights counts as unreachable, and the remaining reports are skipped. */
const maxFailures = 3;

/** Reports every outcome; a failed report is logged and does not fail the sync. */
export async function reportToInsights(
  result: SyncResult,
  { report, clock, log, limitMs }: StatusReportOptions,
): Promise<void> {
  const controller = new AbortController();
  const cancel = clock.after(limitMs, () => controller.abort(new Error('the time limit was reached')));
  const states = policyStatusesOf(result, rfc3339(clock.now()));
  let failuresInRow = 0;
  let unreported = 0;
  let lastProblem = '';
  await mapConcurrent(states, concurrency, async (status) => {
    if (failuresInRow >= maxFailures || controller.signal.aborted) {
      unreported++;
      return;
    }
    try {
      await report(status, controller.signal);
      failuresInRow = 0;
    } catch (thrown) {
      failuresInRow++;
      unreported++;
      lastProblem = errorMessage(thrown);
    }
  });
  cancel();
  if (unreported > 0)
    log.warn('Some outcomes were not reported to Insights', { count: unreported, error: lastProblem });
}

function policyStatusesOf(result: SyncResult, lastAppliedAt: string): PolicyStatus[] {
  const state = (
    policyName: string,
    object: KubeObject | undefined,
    rest: Pick<PolicyStatus, 'action' | 'status' | 'output'>,
  ): PolicyStatus => ({
    policyName,
    reportType: 'kyverno',
    action: rest.action,
    status: rest.status,
    lastAppliedAt,
    policyBody: object === undefined ? '' : renderYaml(published(object)),
    output: rest.output,
  });
  const cause = result.failed[0];
  const failed = result.failed.flatMap((failure) =>
    failure.ref === undefined ? [] : [{ ...failure, ref: failure.ref }],
  );
  // One outcome per policy. If a policy failed and was then rolled back or not, the last reason counts.
  const last = new Map(failed.map((failure) => [failure.ref.key, failure]));
  const isFine = ({ ref }: Operation) => !last.has(ref.key);
  return [
    ...[...result.applied, ...result.updated, ...result.removed].filter(isFine).map((operation) =>
      state(operation.ref.name, objectOf(operation), {
        action: actionOf(operation),
        status: 'success',
        output: doneWords[operation.action],
      }),
    ),
    ...result.rolledBack.filter(isFine).map((operation) =>
      state(operation.ref.name, objectOf(operation), {
        action: actionOf(operation),
        status: 'failed',
        output: `rolled back because ${cause?.label ?? 'another policy'} failed: ${cause?.reason ?? ''}`,
      }),
    ),
    ...[...last.values()].map(({ ref, object, reason, action }) =>
      state(ref.name, object, { action, status: 'failed', output: reason }),
    ),
  ];
}

const doneWords = { apply: 'applied', update: 'updated', remove: 'removed' } as const;
export const actionOf = ({ action }: Operation) => (action === 'remove' ? 'delete' : 'apply');
export const objectOf = (operation: Operation) =>
  operation.action === 'remove' ? operation.before : operation.desired;

function published({ apiVersion, kind, metadata, status: _, ...rest }: KubeObject): object {
  const { name, namespace, labels, annotations } = metadata;
  return { apiVersion, kind, metadata: { name, namespace, labels, annotations }, ...rest };
}
