import { ownerLabel } from '../api/index.ts';
import { errorMessage, type Logger, SupercargoError } from '../base/index.ts';
import { type Controller, type ControllerMetrics, createController } from '../controller/index.ts';
import { type InformerFactory, isKubeError, type KubeClient } from '../kube/index.ts';
import { deepEqual, type KubeObject } from '../object/index.ts';
import {
  type ConfigurationOptions,
  configurationName,
  configurationTypes,
  renderConfiguration,
  renderWebhook,
} from './configuration.ts';
import { fitEntries } from './entry-space.ts';
import type { RefusedEntry, Registration, WebhookEntry } from './reviewer.ts';

export interface RegistrarOptions {
  readonly client: KubeClient;
  readonly informers: InformerFactory;
  readonly registrations: readonly Registration[];
  readonly installation: string;
  /** Undefined until a certificate is there and the server listens. */
  readonly options: () => Omit<ConfigurationOptions, 'installation'> | undefined;
  /** Hears when `options` answers something new. */
  readonly subscribe: (listener: () => void) => () => void;
  readonly removeOnStop: boolean;
  /** Called after each time all configurations were seen in step. */
  readonly onInStep: () => void;
  readonly metrics: Pick<ControllerMetrics, 'forController'>;
  readonly log: Logger;
}

export class RegistrationError extends SupercargoError {}

/** Looked at so often at least: kinds come from API servers that send no events. */
const resyncMs = 5 * 60 * 1000;

/** Keeps the webhook configurations in step with what is to be registered. For the leader alone. */
export function createRegistrar(options: RegistrarOptions): Controller {
  const { client, informers, registrations, installation, log } = options;
  const labelSelector = `${ownerLabel}=${installation}`;
  const byName = new Map(registrations.map((one) => [configurationName(installation, one), one]));
  const inStep = new Set<string>();

  const reconcile = async (name: string, signal: AbortSignal) => {
    const registration = byName.get(name);
    const settings = options.options();
    if (!registration || !settings) return undefined;
    const entries = await registration.entries(signal);
    const sizeOf = (entry: WebhookEntry) =>
      Buffer.byteLength(JSON.stringify(renderWebhook(entry, registration.type, { installation, ...settings })));
    const { fitting, tooLarge } = fitEntries(entries, sizeOf);
    const refused: RefusedEntry[] = [...tooLarge];
    for (const { entry, message } of tooLarge)
      log.warn('a webhook is not registered', { configuration: name, webhook: entry.name, error: message });
    const register = async (accepted: readonly WebhookEntry[]): Promise<readonly WebhookEntry[]> => {
      const wanted = renderConfiguration(registration, accepted, { installation, ...settings });
      try {
        const changed = await bringInStep(client, wanted, accepted.length > 0, installation, signal);
        if (changed)
          log.info('webhooks are in step with the policies', { configuration: name, webhooks: accepted.length });
        return accepted;
      } catch (thrown) {
        const found = refusedEntries(accepted, thrown);
        if (found.length === 0) throw thrown;
        refused.push(...found);
        for (const { entry, message } of found)
          log.warn('the API server refuses a webhook', { configuration: name, webhook: entry.name, error: message });
        return register(accepted.filter((entry) => !found.some((one) => one.entry === entry)));
      }
    };
    const registered = await register(fitting);
    registration.onRegistered?.(registered, refused);
    inStep.add(name);
    if (inStep.size === byName.size) options.onInStep();
    return { requeueAfterMs: resyncMs };
  };

  const controller = createController({
    name: 'webhooks',
    reconcile,
    concurrency: 2,
    metrics: options.metrics,
    log,
    sources: [
      async (sink, signal) => {
        const addAll = () => {
          for (const name of byName.keys()) sink.add(name);
        };
        addAll();
        const stops = [
          options.subscribe(addAll),
          ...[...byName].map(([name, one]) => one.subscribe(() => sink.add(name))),
          // Somebody else's change, or ours coming back: either way the object is looked at again.
          ...[...new Set(registrations.map(({ type }) => configurationTypes[type]))].map((type) => {
            const see = ({ stored }: { readonly stored: KubeObject }) => {
              if (byName.has(stored.metadata.name ?? '')) sink.add(stored.metadata.name!);
            };
            return informers
              .for<KubeObject>(type, { labelSelector })
              .addHandler({ onAdd: see, onUpdate: see, onDelete: see });
          }),
        ];
        await new Promise<void>((resolve) => {
          if (signal.aborted) resolve();
          else signal.addEventListener('abort', () => resolve(), { once: true });
        });
        for (const stop of stops) stop();
      },
    ],
  });
  return {
    name: controller.name,
    async run(signal) {
      inStep.clear();
      await controller.run(signal);
      if (options.removeOnStop) await removeAll(client, registrations, installation, log);
    },
  };
}

/** What an entry has from its policies; the rest is the same for all, and its fault is none of theirs. */
const ownFields = /^webhooks\[(\d+)\]\.(?:name|rules|matchConditions|failurePolicy|timeoutSeconds)\b/;

/** The entries that the API server names as invalid: one policy's mistake costs that policy only. */
function refusedEntries(entries: readonly WebhookEntry[], thrown: unknown): readonly RefusedEntry[] {
  if (!isKubeError(thrown, 'kube-invalid')) return [];
  const messages = new Map<number, string>();
  for (const { field, message } of thrown.causes) {
    const index = ownFields.exec(field ?? '')?.[1];
    if (index !== undefined && !messages.has(Number(index))) messages.set(Number(index), message ?? 'invalid');
  }
  return [...messages].flatMap(([index, message]) => (entries[index] ? [{ entry: entries[index], message }] : []));
}

/** Creates, changes or removes the one object; true when something was written. */
async function bringInStep(
  client: KubeClient,
  wanted: KubeObject,
  isNeeded: boolean,
  installation: string,
  signal: AbortSignal,
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
      `${wanted.kind} ${key.name} exists and is not ours (label ${ownerLabel}: ${installation} is missing); remove it or choose another installation name`,
      { retry: 'backoff' },
    );
  if (!isNeeded) {
    if (present) await client.delete(type, key, { signal, preconditions: { uid: present.metadata.uid! } });
    return present !== undefined;
  }
  if (!present) {
    await client.create(type, wanted, { signal });
    return true;
  }
  if (deepEqual(present['webhooks'], wanted['webhooks'])) return false;
  await client.replace(type, { ...present, webhooks: wanted['webhooks'] }, { signal });
  return true;
}

/** So that nothing calls a server that is gone. The signal has aborted by now, so these calls have their own time. */
async function removeAll(
  client: KubeClient,
  registrations: readonly Registration[],
  installation: string,
  log: Logger,
): Promise<void> {
  const signal = AbortSignal.timeout(3_000);
  await Promise.all(
    registrations.map((one) =>
      bringInStep(
        client,
        renderConfiguration(one, [], { installation, address: { url: '' }, bundle: '', exemptNamespaces: [] }),
        false,
        installation,
        signal,
      ).catch((thrown) => log.warn('a webhook configuration could not be removed', { error: errorMessage(thrown) })),
    ),
  );
}
