import { ownerLabel } from '../api/index.ts';
import { type Clock, errorMessage, type Logger, whenAborted } from '../base/index.ts';
import { type Controller, type ControllerMetrics, createController } from '../controller/index.ts';
import { type InformerFactory, isKubeError, type KubeClient } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import {
  type ConfigurationOptions,
  configurationName,
  configurationTypes,
  renderConfiguration,
  renderWebhook,
} from './configuration.ts';
import { fitEntries } from './entry-space.ts';
import { narrowWebhooks } from './narrow.ts';
import type { Reachability } from './reachability.ts';
import type { RefusedEntry, Registration, WebhookEntry } from './reviewer.ts';
import { callsOnly, removeStrays } from './strays.ts';
import { reconcileConfiguration } from './write-configuration.ts';

interface RegistrarOptions {
  readonly client: KubeClient;
  readonly informers: InformerFactory;
  readonly registrations: readonly Registration[];
  readonly installation: string;
  /** Undefined until there is a certificate and the server listens. */
  readonly options: () => Omit<ConfigurationOptions, 'installation'> | undefined;
  /** Calls the listener when the value of `options` changes. */
  readonly subscribe: (listener: () => void) => () => void;
  readonly reachability: Reachability;
  readonly removeOnStop: boolean;
  /** Called when all configurations are registered and up to date. */
  readonly onAllRegistered: () => void;
  readonly metrics: Pick<ControllerMetrics, 'forController'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Aggregated API servers add kinds without an event. */
const resyncMs = 5 * 60 * 1000;

/** The key of configurations that call this server and are not its own. */
const strays = '';

/** Changes that follow each other are registered together: the first at once, the others after this pause. */
const minIntervalMs = 1_000;

/**
 * Reconciles the webhook configurations with the registrations. Runs on the leader only. Until the API server has reached
 * us, what is registered is only narrowed: a restart leaves it, and an unreachable server adds nothing.
 */
export function createRegistrar(options: RegistrarOptions): Controller {
  const { client, informers, registrations, installation, reachability, clock, log } = options;
  const labelSelector = `${ownerLabel}=${installation}`;
  const byName = new Map(registrations.map((one) => [configurationName(installation, one), one]));
  const upToDate = new Set<string>();
  const own = (name: string) => byName.has(name) || name === configurationName(installation, reachability.registration);
  const registeredAtMs = new Map<string, number>();

  const reconcile = async (name: string, signal: AbortSignal) => {
    const registration = byName.get(name);
    const settings = options.options();
    if (name === strays && settings) {
      await removeStrays({ client, installation, address: settings.address, own, log, signal });
      return { requeueAfterMs: resyncMs };
    }
    if (!registration || !settings) return undefined;
    const pauseMs = (registeredAtMs.get(name) ?? Number.NEGATIVE_INFINITY) + minIntervalMs - clock.monotonicMs();
    if (pauseMs > 0) return { requeueAfterMs: pauseMs };
    const { isReached, problem } = reachability;
    if (!isReached && problem === undefined) return undefined;
    const entries = await registration.entries(signal);
    if (!isReached) {
      const wanted = renderConfiguration(registration, entries, { installation, ...settings });
      const isNeeded = entries.length > 0;
      await reconcileConfiguration(client, wanted, { isNeeded, installation, signal, change: narrowWebhooks });
      const message = `the API server does not reach it: ${problem}`;
      registration.onRegistered?.(
        [],
        entries.map((entry) => ({ entry, message })),
      );
      return { requeueAfterMs: resyncMs };
    }
    const sizeOf = (entry: WebhookEntry) =>
      Buffer.byteLength(JSON.stringify(renderWebhook(entry, registration.type, { installation, ...settings })));
    const { fitting, tooLarge } = fitEntries(entries, sizeOf);
    const refused: RefusedEntry[] = [...tooLarge];
    for (const { entry, message } of tooLarge)
      log.warn('webhook not registered', { configuration: name, webhook: entry.name, error: message });
    const register = async (accepted: readonly WebhookEntry[]): Promise<readonly WebhookEntry[]> => {
      const wanted = renderConfiguration(registration, accepted, { installation, ...settings });
      try {
        const changed = await reconcileConfiguration(client, wanted, {
          isNeeded: accepted.length > 0,
          installation,
          signal,
        });
        if (changed) log.info('webhook configuration updated', { configuration: name, webhooks: accepted.length });
        return accepted;
      } catch (thrown) {
        const found = refusedEntries(accepted, thrown);
        if (found.length === 0) throw thrown;
        refused.push(...found);
        for (const { entry, message } of found)
          log.warn('webhook refused by the API server', { configuration: name, webhook: entry.name, error: message });
        return register(accepted.filter((entry) => !found.some((one) => one.entry === entry)));
      }
    };
    const registered = await register(fitting);
    // After a failure the back-off of the queue applies.
    registeredAtMs.set(name, clock.monotonicMs());
    registration.onRegistered?.(registered, refused);
    upToDate.add(name);
    if (upToDate.size === byName.size) options.onAllRegistered();
    return { requeueAfterMs: resyncMs };
  };

  const controller = createController({
    name: 'webhooks',
    reconcile,
    concurrency: 2,
    metrics: options.metrics,
    clock,
    log,
    sources: [
      async (sink, signal) => {
        const addAll = () => {
          for (const name of [...byName.keys(), strays]) sink.add(name);
        };
        addAll();
        const stops = [
          options.subscribe(addAll),
          reachability.onChange(addAll),
          ...[...byName].map(([name, one]) => one.subscribe(() => sink.add(name))),
          // Reconcile after any change, whether another client or this controller made it.
          ...[...new Set(registrations.map(({ type }) => configurationTypes[type]))].map((type) => {
            const enqueue = ({ stored }: { readonly stored: KubeObject }) => {
              const { name = '' } = stored.metadata;
              const address = options.options()?.address;
              if (byName.has(name)) sink.add(name);
              else if (address && !own(name) && callsOnly(stored, address)) sink.add(strays);
            };
            return informers
              .for<KubeObject>(type, { labelSelector })
              .addHandler({ onAdd: enqueue, onUpdate: enqueue, onDelete: enqueue });
          }),
        ];
        await whenAborted(signal);
        for (const stop of stops) stop();
      },
    ],
  });
  return {
    name: controller.name,
    async run(signal) {
      upToDate.clear();
      registeredAtMs.clear();
      try {
        await Promise.all([controller.run(signal), reachability.run(signal)]);
      } finally {
        for (const registration of registrations) registration.forget?.();
      }
      if (options.removeOnStop)
        await removeAll(client, [...registrations, reachability.registration], installation, log);
    },
  };
}

/** The fields of an entry that come from its policies; an error in another field concerns all entries. */
const ownFields = /^webhooks\[(\d+)\]\.(?:name|rules|matchConditions|failurePolicy|timeoutSeconds)\b/;

/** The entries that the API server reports as invalid: only the policies of those entries lose their webhook. */
function refusedEntries(entries: readonly WebhookEntry[], thrown: unknown): readonly RefusedEntry[] {
  if (!isKubeError(thrown, 'kube-invalid')) return [];
  const messages = new Map<number, string>();
  for (const { field, message } of thrown.causes) {
    const index = ownFields.exec(field ?? '')?.[1];
    if (index !== undefined && !messages.has(Number(index))) messages.set(Number(index), message ?? 'invalid');
  }
  return [...messages].flatMap(([index, message]) => (entries[index] ? [{ entry: entries[index], message }] : []));
}

/** Deletes the configurations, so that no API server calls a stopped webhook. Has its own timeout: the signal is aborted. */
async function removeAll(
  client: KubeClient,
  registrations: readonly Pick<Registration, 'name' | 'type'>[],
  installation: string,
  log: Logger,
): Promise<void> {
  const signal = AbortSignal.timeout(3_000);
  await Promise.all(
    registrations.map((one) =>
      reconcileConfiguration(
        client,
        renderConfiguration(one, [], { installation, address: { url: '' }, bundle: '', exemptNamespaces: [] }),
        { isNeeded: false, installation, signal },
      ).catch((thrown) => log.warn('webhook configuration could not be removed', { error: errorMessage(thrown) })),
    ),
  );
}
