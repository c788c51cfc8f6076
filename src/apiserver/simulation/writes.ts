import { dequal } from 'dequal';
import type { GroupVersionResource, KubeObject } from '../../object/index.ts';
import { isStatusError } from '../status.ts';
import type { Context } from './types.ts';

type Place = { readonly type: GroupVersionResource; readonly namespace: string; readonly name: string };

const attempts = 8;

/**
 * Reads, changes and writes an object; reads again after a conflict. `change` returns undefined to leave the object
 * unchanged, and nothing is written when nothing differs. Returns the resulting object, or undefined when it no longer
 * exists.
 */
export async function modify(
  { client }: Context,
  { type, namespace, name }: Place,
  change: (object: KubeObject) => KubeObject | undefined,
  subresource?: 'status',
): Promise<KubeObject | undefined> {
  for (let attempt = 1; ; attempt++) {
    const current = client.get(type, namespace, name);
    if (!current) return undefined;
    const next = change(current);
    if (!next || dequal(next, current)) return current;
    try {
      return await client.update(type, next, subresource);
    } catch (thrown) {
      if (isStatusError(thrown, 404)) return undefined;
      if (!isConflict(thrown) || attempt === attempts) throw thrown;
    }
  }
}

/** Writes `status` when it differs from the stored one. */
export function writeStatus(context: Context, place: Place, status: (object: KubeObject) => object | undefined) {
  return modify(
    context,
    place,
    (object) => {
      const next = status(object);
      return next && { ...object, status: next };
    },
    'status',
  );
}

/** Creates the object; succeeds when one of the same name exists. */
export async function createIfAbsent({ client }: Context, type: GroupVersionResource, object: KubeObject) {
  try {
    await client.create(type, object);
  } catch (thrown) {
    if (!isAlreadyExists(thrown)) throw thrown;
  }
}

/** Deletes the object; succeeds when it is gone or was replaced by another of the same name. */
export async function removeObject(
  { client }: Pick<Context, 'client'>,
  type: GroupVersionResource,
  { metadata }: Pick<KubeObject, 'metadata'>,
  options: { readonly gracePeriodSeconds?: 0; readonly propagationPolicy?: 'Background' } = {},
) {
  try {
    const uid = metadata.uid === undefined ? {} : { uid: metadata.uid };
    await client.delete(type, metadata.namespace ?? '', metadata.name ?? '', { ...uid, ...options });
  } catch (thrown) {
    if (!isStatusError(thrown, 404) && !isConflict(thrown)) throw thrown;
  }
}

export const isAlreadyExists = (thrown: unknown) =>
  isStatusError(thrown, 409) && thrown.status.reason === 'AlreadyExists';

const isConflict = (thrown: unknown) => isStatusError(thrown, 409) && thrown.status.reason !== 'AlreadyExists';
