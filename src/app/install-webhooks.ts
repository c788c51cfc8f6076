import { ownerLabel } from '../api/index.ts';
import { type Clock, SupercargoError } from '../base/index.ts';
import { isKubeError, type KubeClient } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { configurationTypes, installedInAnnotation } from '../webhook/index.ts';
import {
  describeObject,
  type InstallationPlace,
  installedTypes,
  listInstalled,
  type OnObjectAction,
  removeObject,
} from './install-objects.ts';
import type { Part } from './install-parts.ts';
import { clusterRules, type PolicyRule, webhookFeatures } from './install-rbac.ts';

export interface RemoveWebhooksOptions extends InstallationPlace {
  readonly client: KubeClient;
  readonly clock: Pick<Clock, 'monotonicMs' | 'sleep'>;
  /** Says what it would do, and does nothing. */
  readonly dryRun: boolean;
  readonly onStep: OnObjectAction;
}

/** What the parts that stay need. */
interface RemainingWebhooks {
  /** The configurations that they register. */
  readonly configurations: ReadonlySet<string>;
  /** Their Services, in the namespace of the installation. */
  readonly services: ReadonlySet<string>;
  /** The ClusterRoleBindings with which they register. */
  readonly bindings: ReadonlySet<string>;
}

class RemoveError extends SupercargoError {}

/** A replica that still runs registers a missing webhook at once: in this time it would be seen. */
const quietMs = 1_000;
const pollMs = 100;
const revokeTimeoutMs = 60_000;

const nothing: RemainingWebhooks = { configurations: new Set(), services: new Set(), bindings: new Set() };

/** The ClusterRoleBinding with which a part registers webhooks (`chart/objects.ts`). */
const registrationBinding = ({ installation, namespace }: InstallationPlace, part: string) =>
  `${installation}:${namespace}:${part}:webhooks`;

/** True for the binding of any part. */
export function isRegistrationBinding({ kind, metadata }: KubeObject, place: InstallationPlace): boolean {
  const part = metadata.name?.split(':')[2];
  return kind === 'ClusterRoleBinding' && metadata.name === registrationBinding(place, part ?? '');
}

const registeredWith = (rules: readonly PolicyRule[]) =>
  rules
    .filter(({ apiGroups, verbs }) => apiGroups.includes(configurationTypes.mutating.group) && verbs.includes('update'))
    .flatMap(({ resourceNames = [] }) => resourceNames);

export function remainingOfParts(parts: readonly Part[], place: InstallationPlace): RemainingWebhooks {
  const serving = parts.filter(({ features }) => features.some((name) => webhookFeatures.includes(name)));
  return {
    configurations: new Set(
      serving.flatMap(({ features }) => registeredWith(clusterRules(place.installation, features))),
    ),
    services: new Set(serving.map(({ name }) => `${place.installation}-${name}-webhook`)),
    bindings: new Set(serving.map(({ name }) => registrationBinding(place, name))),
  };
}

export function remainingOfManifests(manifests: readonly KubeObject[]): RemainingWebhooks {
  const ofKind = (wanted: string) => manifests.filter(({ kind }) => kind === wanted);
  const names = (wanted: string) => new Set(ofKind(wanted).map(({ metadata }) => metadata.name!));
  const rules = ofKind('ClusterRole').flatMap((role) => (role['rules'] ?? []) as readonly PolicyRule[]);
  return {
    configurations: new Set(registeredWith(rules)),
    services: names('Service'),
    bindings: names('ClusterRoleBinding'),
  };
}

/**
 * Removes all webhooks so that they stay away while replicas still run and answer: these lose the rights to register
 * them first.
 */
export async function removeWebhooks(options: RemoveWebhooksOptions): Promise<void> {
  await revoke(options, nothing);
  await removeUntilQuiet(options, nothing, new Set());
}

/**
 * Likewise those that no remaining part serves. One that calls a Service that stays is left to the part behind it, as
 * its pods of before may still answer and register.
 */
export async function removeFormerWebhooks(
  options: RemoveWebhooksOptions,
  remaining: RemainingWebhooks,
): Promise<void> {
  const hasRevoked = await revoke(options, remaining);
  const hasRemoved = await removeOnce(options, remaining);
  if (!options.dryRun && (hasRevoked || hasRemoved)) await removeUntilQuiet(options, remaining);
}

/** True if a binding was removed. */
async function revoke(options: RemoveWebhooksOptions, { bindings }: RemainingWebhooks): Promise<boolean> {
  const types = installedTypes.filter(({ kind }) => kind === 'ClusterRoleBinding');
  let hasRevoked = false;
  for (const installed of await listInstalled(options.client, options, types)) {
    const { object } = installed;
    if (!isRegistrationBinding(object, options) || bindings.has(object.metadata.name!)) continue;
    if (!options.dryRun) await removeObject(options.client, installed);
    hasRevoked = true;
    options.onStep({ action: 'removed', object: describeObject(object) });
  }
  return hasRevoked;
}

async function removeUntilQuiet(
  options: RemoveWebhooksOptions,
  remaining: RemainingWebhooks,
  told?: Set<string>,
): Promise<void> {
  const { clock } = options;
  const startedMs = clock.monotonicMs();
  let lastMs = startedMs;
  while (clock.monotonicMs() - lastMs < quietMs) {
    if (await removeOnce(options, remaining, told)) lastMs = clock.monotonicMs();
    if (options.dryRun) return;
    if (lastMs - startedMs > revokeTimeoutMs)
      throw new RemoveError(
        'uninstall-webhooks',
        'the webhooks are registered again and again: stop the program that does it, or take from its account the ' +
          'right to write webhook configurations, then try again',
      );
    await clock.sleep(pollMs);
  }
}

/** True if one was removed. Those of others are told once, where a set to remember them is given. */
async function removeOnce(
  options: RemoveWebhooksOptions,
  remaining: RemainingWebhooks,
  told?: Set<string>,
): Promise<boolean> {
  const { client, installation, namespace, onStep } = options;
  let hasRemoved = false;
  for (const type of Object.values(configurationTypes)) {
    const { items } = await client.list<KubeObject>(type, { labelSelector: `${ownerLabel}=${installation}` });
    for (const object of items.filter((one) => !isRemaining(one, remaining))) {
      const name = describeObject(object);
      const owners = namespacesOf(object);
      if (owners.length > 0 && owners.every((one) => one === namespace)) {
        if (!options.dryRun)
          await removeObject(client, { type, object }).catch((thrown) => {
            // Somebody else was faster.
            if (!isKubeError(thrown, 'kube-not-found') && !isKubeError(thrown, 'kube-conflict')) throw thrown;
          });
        hasRemoved = true;
        onStep({ action: 'removed', object: name });
      } else if (told?.has(name) === false) {
        told.add(name);
        onStep({
          action: 'kept',
          object: name,
          reason:
            owners.length > 0
              ? `it belongs to the installation in namespace ${owners.find((one) => one !== namespace)}`
              : 'a program outside the cluster registered it, and removes it when it stops; if none runs, delete it',
        });
      }
    }
  }
  return hasRemoved;
}

const isRemaining = (configuration: KubeObject, { configurations, services }: RemainingWebhooks) =>
  configurations.has(configuration.metadata.name!) ||
  servicesOf(configuration).some(({ name }) => name !== undefined && services.has(name));

/**
 * The namespaces of the installations that a webhook configuration belongs to: of the Services that it calls, or else
 * what the program noted. None for a program that runs outside the cluster.
 */
function namespacesOf(configuration: KubeObject): readonly string[] {
  const called = servicesOf(configuration).flatMap(({ namespace }) => namespace ?? []);
  const noted = configuration.metadata.annotations?.[installedInAnnotation];
  return called.length > 0 || noted === undefined ? called : [noted];
}

interface CalledService {
  readonly namespace?: string;
  readonly name?: string;
}

function servicesOf(configuration: KubeObject): readonly CalledService[] {
  const webhooks = (configuration['webhooks'] ?? []) as readonly {
    readonly clientConfig?: { readonly service?: CalledService };
  }[];
  return webhooks.flatMap(({ clientConfig }) => clientConfig?.service ?? []);
}
