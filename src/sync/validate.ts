import { errorMessage, mapConcurrent, SupercargoError } from '../base/index.ts';
import type { KubeClient } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { isNoOp, type Operation, type SyncPlan, withoutNoOps } from './plan.ts';
import type { Refusal } from './policy.ts';
import { createPolicy, removePolicy, updatePolicy } from './write.ts';

/** Returns the problems of a policy; empty if it can be applied. Wired by `app`. */
export type PolicyValidator = (policy: KubeObject, signal: AbortSignal) => Promise<readonly string[]>;

interface ValidateOptions {
  readonly client: KubeClient;
  readonly validators: readonly PolicyValidator[];
  readonly signal: AbortSignal;
}

/** Enough to hide the round-trip time, few enough not to overload the server. */
const concurrency = 8;

/** The plan after a dry run of every operation: no-op updates are dropped, impossible operations rejected. */
export async function validatePlan(plan: SyncPlan, options: ValidateOptions): Promise<SyncPlan> {
  const asStored = new Map<string, KubeObject>();
  const refusals = await mapConcurrent(plan.operations, concurrency, async (operation): Promise<Refusal[]> => {
    const { ref } = operation;
    const problems: string[] = [];
    try {
      const stored = await rehearse(operation, options);
      if (stored !== undefined) asStored.set(ref.key, stored);
    } catch (thrown) {
      options.signal.throwIfAborted();
      if (!(thrown instanceof SupercargoError)) throw thrown;
      problems.push(errorMessage(thrown));
    }
    // The server comes first: most updates turn out to be no-ops and need no further checks.
    if (!isNoOp(operation, asStored)) problems.push(...(await problemsOf(operation, options)));
    if (problems.length === 0) return [];
    const object = operation.action === 'remove' ? operation.before : operation.desired;
    return [{ ref, label: ref.label, reason: problems.join('; '), object }];
  });
  const refused = refusals.flat();
  const impossible = new Set(refused.map(({ ref }) => ref?.key));
  const operations = plan.operations.filter(({ ref }) => !impossible.has(ref.key));
  return withoutNoOps({ ...plan, operations, refused: [...plan.refused, ...refused] }, asStored);
}

async function problemsOf(operation: Operation, { validators, signal }: ValidateOptions): Promise<readonly string[]> {
  if (operation.action === 'remove') return [];
  const problems: string[] = [];
  for (const validate of validators) problems.push(...(await validate(operation.desired, signal)));
  return problems;
}

/** A server-side dry run: schema, permissions and admission; nothing is stored. */
async function rehearse(operation: Operation, { client, signal }: ValidateOptions): Promise<KubeObject | undefined> {
  const options = { dryRun: true, fieldValidation: 'Strict', signal } as const;
  if (operation.action === 'apply') return createPolicy(client, operation, options);
  if (operation.action === 'update') return updatePolicy(client, operation, options);
  await removePolicy(client, operation, options);
  return undefined;
}
