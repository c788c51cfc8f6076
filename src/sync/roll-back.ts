import { isKubeError, type KubeClient } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { recreatable, sameContent } from './content.ts';
import type { SentOperation } from './execute.ts';
import type { Operation } from './plan.ts';
import { isOwned } from './policy.ts';
import { createPolicy, findPolicy, PolicyChangedError, updatePolicy } from './write.ts';

type Of<A extends Operation['action']> = Extract<Operation, { readonly action: A }>;

/**
 * Reverts one operation, based on the current state of the cluster; false if there was nothing to revert. Throws if it
 * cannot be done, or would overwrite a later change of another writer.
 */
export async function rollBackOperation(
  { operation, stored }: SentOperation,
  client: KubeClient,
  signal: AbortSignal,
): Promise<boolean> {
  if (operation.action === 'apply') return undoApply(operation, stored, client, signal);
  if (operation.action === 'update') return undoUpdate(operation, stored, client, signal);
  return undoRemove(operation, client, signal);
}

const changed = () =>
  new PolicyChangedError('sync-policy-changed', 'it was changed since by another writer, so it was not rolled back');

async function undoApply(
  { ref, desired }: Of<'apply'>,
  stored: KubeObject | undefined,
  client: KubeClient,
  signal: AbortSignal,
): Promise<boolean> {
  const now = await findPolicy(client, ref, signal);
  if (now === undefined) return false;
  const isOurs =
    stored === undefined
      ? isOwned(now) && isWithin(desired, now)
      : now.metadata.uid === stored.metadata.uid && isOwned(now);
  if (!isOurs) throw changed();
  const { uid } = now.metadata;
  try {
    await client.delete(ref.type, ref, { signal, ...(uid === undefined ? {} : { preconditions: { uid } }) });
  } catch (thrown) {
    if (!isKubeError(thrown, 'kube-not-found')) throw thrown;
  }
  return true;
}

async function undoUpdate(
  { ref, desired, before }: Of<'update'>,
  stored: KubeObject | undefined,
  client: KubeClient,
  signal: AbortSignal,
): Promise<boolean> {
  const now = await findPolicy(client, ref, signal);
  if (now === undefined || now.metadata.uid !== before.metadata.uid) throw changed();
  if (sameContent(now, before)) return false;
  if (stored === undefined ? !isWithin(desired, now) : !sameContent(now, stored)) throw changed();
  const { metadata, ...rest } = before;
  const { resourceVersion: _, managedFields: _m, generation: _g, creationTimestamp: _c, ...identity } = metadata;
  await updatePolicy(client, { ref, desired: { ...rest, metadata: identity } as KubeObject, before: now }, { signal });
  return true;
}

async function undoRemove({ ref, before }: Of<'remove'>, client: KubeClient, signal: AbortSignal): Promise<boolean> {
  const now = await findPolicy(client, ref, signal);
  if (now?.metadata.uid === before.metadata.uid && now?.metadata.deletionTimestamp === undefined) return false;
  await createPolicy(client, { action: 'apply', ref, desired: recreatable(before) }, { signal });
  return true;
}

/** Whether an object is what was sent, except for what a server adds. */
function isWithin(sent: unknown, found: unknown): boolean {
  if (Array.isArray(sent))
    return (
      Array.isArray(found) && sent.length === found.length && sent.every((one, index) => isWithin(one, found[index]))
    );
  if (typeof sent !== 'object' || sent === null) return Object.is(sent, found);
  if (typeof found !== 'object' || found === null || Array.isArray(found)) return false;
  return Object.entries(sent).every(
    ([key, value]) =>
      key === 'resourceVersion' || key === 'status' || isWithin(value, (found as Record<string, unknown>)[key]),
  );
}
