import { ownerLabel } from '../api/index.ts';
import { SupercargoError } from '../base/index.ts';
import { isKubeError, type KubeClient } from '../kube/index.ts';
import { deepEqual, type KubeObject } from '../object/index.ts';
import { configurationTypes, installedInAnnotation } from './configuration.ts';
import type { RenderedWebhook } from './narrow.ts';

class RegistrationError extends SupercargoError {}

interface WriteOptions {
  readonly installation: string;
  readonly isNeeded: boolean;
  /** The webhooks to write, given those that are present. */
  readonly change?: (
    wanted: readonly RenderedWebhook[],
    present: readonly RenderedWebhook[] | undefined,
  ) => readonly RenderedWebhook[];
  readonly signal: AbortSignal;
}

const installedInOf = ({ metadata }: KubeObject) => metadata.annotations?.[installedInAnnotation];
const webhooksOf = (configuration: KubeObject) => (configuration['webhooks'] ?? []) as readonly RenderedWebhook[];

/** Creates, updates or deletes one configuration; true when something was written. */
export async function reconcileConfiguration(
  client: KubeClient,
  wanted: KubeObject,
  { isNeeded, installation, signal, change = (webhooks) => webhooks }: WriteOptions,
): Promise<boolean> {
  const type = wanted.kind.startsWith('Mutating') ? configurationTypes.mutating : configurationTypes.validating;
  const key = { name: wanted.metadata.name! };
  const present = await client.get<KubeObject>(type, key, { signal }).catch((thrown) => {
    if (isKubeError(thrown, 'kube-not-found')) return undefined;
    throw thrown;
  });
  if (present && present.metadata.labels?.[ownerLabel] !== installation)
    throw new RegistrationError(
      'webhook-foreign',
      `${wanted.kind} ${key.name} exists and is not managed by this installation (label ${ownerLabel}: ${installation} is missing); remove it or choose another installation name`,
      { retry: 'backoff' },
    );
  const webhooks = change(webhooksOf(wanted), present && webhooksOf(present));
  if (!isNeeded || webhooks.length === 0) {
    if (present) await client.delete(type, key, { signal, preconditions: { uid: present.metadata.uid! } });
    return present !== undefined;
  }
  if (!present) {
    await client.create(type, { ...wanted, webhooks }, { signal });
    return true;
  }
  const installedIn = installedInOf(wanted);
  if (deepEqual(present['webhooks'], webhooks) && installedInOf(present) === installedIn) return false;
  const { [installedInAnnotation]: _, ...others } = present.metadata.annotations ?? {};
  const annotations = installedIn === undefined ? others : { ...others, [installedInAnnotation]: installedIn };
  await client.replace(type, { ...present, metadata: { ...present.metadata, annotations }, webhooks }, { signal });
  return true;
}
