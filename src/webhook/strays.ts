import { ownerLabel } from '../api/index.ts';
import type { Logger } from '../base/index.ts';
import { isKubeError, type KubeClient } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { configurationTypes, type WebhookAddress } from './configuration.ts';

interface ClientConfig {
  readonly url?: string;
  readonly service?: { readonly namespace: string; readonly name: string };
}

/** Every webhook of the configuration calls the server at this address. */
export function callsOnly(configuration: KubeObject, address: WebhookAddress): boolean {
  const webhooks = (configuration['webhooks'] ?? []) as readonly { readonly clientConfig?: ClientConfig }[];
  const calls = ({ url, service }: ClientConfig = {}) =>
    'url' in address
      ? url?.startsWith(`${address.url}/`) === true
      : service?.name === address.service.name && service.namespace === address.service.namespace;
  return webhooks.length > 0 && webhooks.every(({ clientConfig }) => calls(clientConfig));
}

interface StrayOptions {
  readonly client: KubeClient;
  readonly installation: string;
  readonly address: WebhookAddress;
  /** The names that this program registers itself. */
  readonly own: (name: string) => boolean;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/**
 * Removes what this program, with more features, has registered before: nothing here answers it. What may not be listed
 * or removed is left to the part of the installation that registers it now.
 */
export async function removeStrays({ client, installation, address, own, log, signal }: StrayOptions): Promise<void> {
  for (const type of Object.values(configurationTypes)) {
    const items = await client
      .list<KubeObject>(type, { labelSelector: `${ownerLabel}=${installation}`, signal })
      .then((list) => list.items, unlessForbidden);
    for (const { metadata, ...rest } of items ?? []) {
      if (own(metadata.name!) || !callsOnly({ metadata, ...rest }, address)) continue;
      const preconditions = { uid: metadata.uid! };
      const isRemoved = await client.delete(type, { name: metadata.name! }, { signal, preconditions }).then(
        () => true,
        (thrown) => {
          if (isKubeError(thrown, 'kube-not-found') || isKubeError(thrown, 'kube-conflict')) return false;
          return unlessForbidden(thrown);
        },
      );
      if (isRemoved)
        log.info('webhook configuration removed: nothing here answers it', { configuration: metadata.name });
    }
  }
}

function unlessForbidden(thrown: unknown): undefined {
  if (!isKubeError(thrown, 'kube-forbidden')) throw thrown;
  return undefined;
}
