import { SupercargoError } from '../base/index.ts';
import { isKubeError, type KubeClient, type WriteOptions } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { fieldManager, sameContent } from './content.ts';
import type { Operation } from './plan.ts';
import { isOwned, type PolicyRef } from './policy.ts';

type Of<A extends Operation['action']> = Extract<Operation, { readonly action: A }>;
type Options = Pick<WriteOptions, 'dryRun' | 'fieldValidation' | 'signal'>;

/** The cluster has changed since the plan was made; the next run plans again. */
export class PolicyChangedError extends SupercargoError {}

/** The engine writes a policy's status at any time: only the status may change between read and write. */
const attempts = 5;

export function createPolicy(client: KubeClient, { ref, desired }: Of<'apply'>, options: Options): Promise<KubeObject> {
  return client.create(ref.type, desired, { ...options, fieldManager });
}

/** Overwrites exactly the planned object. */
export async function updatePolicy(
  client: KubeClient,
  { ref, desired, before }: Pick<Of<'update'>, 'ref' | 'desired' | 'before'>,
  options: Options,
): Promise<KubeObject> {
  return onSame(client, { ref, before, signal: options.signal }, ({ metadata: { resourceVersion }, status }) => {
    const metadata = { ...desired.metadata, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
    const object = { ...desired, metadata, ...(status === undefined ? {} : { status }) };
    return client.replace(ref.type, object, { ...options, fieldManager });
  });
}

/** Deletes exactly the planned object, and only while it has the annotation of Insights. */
export async function removePolicy(client: KubeClient, { ref, before }: Of<'remove'>, options: Options): Promise<void> {
  await onSame(client, { ref, before, signal: options.signal }, ({ metadata: { uid, resourceVersion } }) =>
    client.delete(ref.type, ref, {
      dryRun: options.dryRun,
      signal: options.signal,
      preconditions: {
        ...(uid === undefined ? {} : { uid }),
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      },
    }),
  );
}

export async function findPolicy(
  client: KubeClient,
  ref: PolicyRef,
  signal: AbortSignal | undefined,
): Promise<KubeObject | undefined> {
  try {
    return await client.get(ref.type, ref, { signal });
  } catch (thrown) {
    if (isKubeError(thrown, 'kube-not-found')) return undefined;
    throw thrown;
  }
}

interface Expected {
  readonly ref: PolicyRef;
  readonly before: KubeObject;
  readonly signal: AbortSignal | undefined;
}

/** Runs a write with a precondition, and retries with the newest version while the content is unchanged. */
async function onSame<T>(
  client: KubeClient,
  expected: Expected,
  write: (latest: KubeObject) => Promise<T>,
): Promise<T> {
  const { ref, before, signal } = expected;
  let latest = before;
  for (let attempt = 1; ; attempt++) {
    try {
      return await write(latest);
    } catch (thrown) {
      if (!isKubeError(thrown, 'kube-conflict') || attempt === attempts) throw thrown;
    }
    const found = await findPolicy(client, ref, signal);
    const isSame = found !== undefined && found.metadata.uid === before.metadata.uid && sameContent(found, before);
    if (!isSame || !isOwned(found))
      throw new PolicyChangedError('sync-policy-changed', 'it was changed during the sync; the next run tries again');
    latest = found;
  }
}
