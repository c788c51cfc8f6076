import { type Clock, errorMessage, type Logger, SupercargoError } from '../base/index.ts';
import type { Discovery, KubeClient } from '../kube/index.ts';
import { execute } from './execute.ts';
import { type Incoming, readIncoming } from './incoming.ts';
import { type CurrentPolicy, planSync, type SyncPlan, withoutUnsafeRemovals } from './plan.ts';
import { refOf } from './policy.ts';
import { discoverPolicyKinds, type PolicyKinds } from './policy-kinds.ts';
import { type ReportPolicy, reportToInsights } from './report-status.ts';
import { closingLine, type SyncLine, type SyncResult } from './result.ts';
import { type SyncOutput, SyncRunLog } from './run-log.ts';
import type { SyncSettings } from './settings.ts';
import { type PolicyValidator, validatePlan } from './validate.ts';

export interface SyncOptions {
  /** The desired policies as multi-document YAML. */
  readonly fetchPolicies: (signal: AbortSignal) => Promise<string>;
  readonly report: ReportPolicy;
  readonly client: KubeClient;
  readonly discovery: Discovery;
  readonly validators: readonly PolicyValidator[];
  readonly settings: Pick<SyncSettings, 'mode' | 'isDryRun' | 'allowsEmpty' | 'maxRemovePercent'>;
  readonly output: SyncOutput;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * One run: fetch, plan, validate, execute, report. Failures are part of the result, and there is always one last line.
 * The caller holds the lock.
 */
export async function runSync(options: SyncOptions, signal: AbortSignal): Promise<SyncResult> {
  const { clock, log, output, settings } = options;
  const startMs = clock.monotonicMs();
  const account = new SyncRunLog(output);
  const finish = (unchangedCount: number) =>
    account.result({
      isDryRun: settings.isDryRun,
      durationMs: clock.monotonicMs() - startMs,
      unchanged: unchangedCount,
    });
  let unchanged = 0;
  try {
    const plan = await prepare(options, signal);
    unchanged = plan.unchanged.length;
    for (const refusal of plan.refused) account.fail({ ...refusal, action: 'apply' });
    const isStopped = settings.mode === 'atomic' && plan.refused.length > 0;
    if (settings.isDryRun) for (const operation of plan.operations) account.wouldDo(operation);
    else if (!isStopped) {
      const { client } = options;
      await execute(plan.operations, {
        client,
        clock,
        mode: settings.mode,
        signal,
        onStep: (step) => account.note(step),
      });
    }
  } catch (thrown) {
    account.fail({ label: 'sync', reason: reasonOf(thrown, signal), action: 'apply' });
    if (!(thrown instanceof SupercargoError) && !signal.aborted) {
      output.line(closingLine(finish(unchanged)));
      throw thrown;
    }
  }
  const result = finish(unchanged);
  if (!settings.isDryRun)
    await reportToInsights(result, { report: options.report, clock, log, limitMs: signal.aborted ? 5_000 : 60_000 });
  output.line(closingLine(result));
  return result;
}

/** The last line of a run that did not start, because another sync holds the lock or the lock cannot be acquired. */
export function notRunLine(thrown: unknown, isDryRun: boolean): SyncLine {
  const failed = [{ label: 'sync', reason: errorMessage(thrown), action: 'apply' as const }];
  const nothing = { applied: [], updated: [], removed: [], rolledBack: [], unchanged: 0 };
  return closingLine({ ...nothing, outcome: 'failed', isDryRun, durationMs: 0, failed });
}

function reasonOf(thrown: unknown, signal: AbortSignal): string {
  if (!signal.aborted) return errorMessage(thrown);
  return signal.reason instanceof SupercargoError ? errorMessage(signal.reason) : 'it was stopped';
}

class EmptyResponseError extends SupercargoError {}

/** Everything before the first change. */
async function prepare(options: SyncOptions, signal: AbortSignal): Promise<SyncPlan> {
  const { client, discovery, settings, validators, log } = options;
  const text = await options.fetchPolicies(signal);
  log.debug('Policies fetched', { bytes: Buffer.byteLength(text) });
  const kinds = await discoverPolicyKinds(discovery, signal);
  log.debug('Policy kinds found', { kinds: kinds.listed.map(({ kind, group }) => `${kind}.${group}`) });
  const incoming = readIncoming(text, kinds);
  const isEmpty = incoming.policies.length + incoming.refused.length === 0;
  if (isEmpty && !settings.allowsEmpty)
    throw new EmptyResponseError(
      'sync-empty-answer',
      'Insights returned no policy at all; nothing is removed (ALLOW_EMPTY=true allows it)',
    );
  const current = await readCurrent(client, kinds, incoming, signal);
  // Allowing an empty response means allowing it to remove everything.
  const limit = { maxRemovePercent: isEmpty ? 100 : settings.maxRemovePercent };
  const plan = planSync(incoming, current, limit);
  log.debug('Policies compared', {
    incoming: incoming.policies.length,
    current: current.size,
    planned: plan.operations.map(({ action, ref }) => `${action} ${ref.label}`),
    refused: plan.refused.length,
  });
  const validated = withoutUnsafeRemovals(await validatePlan(plan, { client, validators, signal }), incoming, limit);
  log.debug('Policies validated', {
    planned: validated.operations.map(({ action, ref }) => `${action} ${ref.label}`),
    unchanged: validated.unchanged.length,
    refused: validated.refused.length,
  });
  return validated;
}

/** Every policy of every kind, ours or not, each in the version in which it is written. */
async function readCurrent(
  client: KubeClient,
  kinds: PolicyKinds,
  incoming: Incoming,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, CurrentPolicy>> {
  const current = new Map<string, CurrentPolicy>();
  for (const type of kinds.listed) {
    let ofType: CurrentPolicy[] = [];
    for await (const page of client.pages(type, { signal })) {
      if (page.startsOver) ofType = [];
      for (const object of page.items) ofType.push({ ref: refOf(type, object), object });
    }
    for (const policy of ofType) current.set(policy.ref.key, policy);
  }
  for (const { ref } of incoming.policies) {
    const listed = current.get(ref.key);
    if (listed === undefined || listed.ref.type.version === ref.type.version) continue;
    current.set(ref.key, { ref, object: await client.get(ref.type, ref, { signal }) });
  }
  return current;
}
