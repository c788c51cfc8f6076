import { ownerLabel } from '../api/index.ts';
import type { ResourceType } from '../kube/index.ts';
import type { KubeObject, LabelSelector } from '../object/index.ts';
import type { Registration, WebhookEntry } from './reviewer.ts';

const registration = (resource: string, kind: string): ResourceType => ({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  resource,
  kind,
  namespaced: false,
});

export const configurationTypes = {
  mutating: registration('mutatingwebhookconfigurations', 'MutatingWebhookConfiguration'),
  validating: registration('validatingwebhookconfigurations', 'ValidatingWebhookConfiguration'),
} as const;

/** How the API server reaches the webhook. */
export type WebhookAddress =
  | { readonly service: { readonly namespace: string; readonly name: string; readonly port: number } }
  /** `https://127.0.0.1:9443`, without a path. */
  | { readonly url: string };

export interface ConfigurationOptions {
  readonly installation: string;
  readonly address: WebhookAddress;
  /** PEM; empty if the certificate is issued by a public authority. */
  readonly bundle: string;
  /** Namespaces that are excluded from all webhooks, so that they can be repaired while the webhook is down. */
  readonly exemptNamespaces: readonly string[];
  readonly namespaceSelector?: LabelSelector | undefined;
  readonly objectSelector?: LabelSelector | undefined;
  /** The namespace of the installation; undefined where the program removes the configuration when it stops. */
  readonly installedIn?: string | undefined;
}

/** The annotation with the namespace of the installation: an address outside the cluster does not tell it. */
export const installedInAnnotation = 'supercargo.dev/installed-in';

export function configurationName(installation: string, { name }: Pick<Registration, 'name'>): string {
  return `${installation}-${name}`;
}

/** The configuration object with every field that the API server would default, so that it can be compared for equality. */
export function renderConfiguration(
  { name, type }: Pick<Registration, 'name' | 'type'>,
  entries: readonly WebhookEntry[],
  options: ConfigurationOptions,
): KubeObject {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: configurationTypes[type].kind,
    metadata: {
      name: configurationName(options.installation, { name }),
      labels: { 'app.kubernetes.io/name': 'supercargo', [ownerLabel]: options.installation },
      ...(options.installedIn === undefined ? {} : { annotations: { [installedInAnnotation]: options.installedIn } }),
    },
    webhooks: entries.map((entry) => renderWebhook(entry, type, options)),
  };
}

export function renderWebhook(entry: WebhookEntry, type: Registration['type'], options: ConfigurationOptions) {
  const { name, rules, failurePolicy, timeoutSeconds, matchConditions } = entry;
  const { matchPolicy = 'Equivalent', reinvocationPolicy = 'IfNeeded' } = entry;
  return {
    name: `${name}.${options.installation}.svc`,
    admissionReviewVersions: ['v1'],
    clientConfig: clientConfigOf(entry, options),
    failurePolicy,
    matchPolicy,
    namespaceSelector: namespaceSelectorOf(entry, options),
    objectSelector: options.objectSelector ?? {},
    rules,
    sideEffects: 'NoneOnDryRun',
    timeoutSeconds,
    ...(type === 'mutating' ? { reinvocationPolicy } : {}),
    ...(matchConditions?.length ? { matchConditions } : {}),
  };
}

function clientConfigOf({ path }: WebhookEntry, { address, bundle }: ConfigurationOptions) {
  const caBundle = bundle === '' ? {} : { caBundle: Buffer.from(bundle).toString('base64') };
  return 'url' in address
    ? { ...caBundle, url: `${address.url}${path}` }
    : { ...caBundle, service: { ...address.service, path } };
}

/** The API server sets this label on every namespace. */
export const namespaceLabel = 'kubernetes.io/metadata.name';

/** The intersection of all selectors: an entry never covers a namespace that the administrator's selector excludes. */
function namespaceSelectorOf(
  { namespaceSelector: own = {}, namespace }: WebhookEntry,
  { namespaceSelector = {}, exemptNamespaces }: ConfigurationOptions,
): LabelSelector {
  const labels = namespaceSelector.matchLabels ?? {};
  const matchLabels = { ...own.matchLabels, ...labels };
  // The merge above keeps one of two values for a label; the other must match as well.
  const dropped = Object.entries(own.matchLabels ?? {}).filter(([key]) => Object.hasOwn(labels, key));
  return {
    ...(Object.keys(matchLabels).length > 0 ? { matchLabels } : {}),
    matchExpressions: [
      ...(namespaceSelector.matchExpressions ?? []),
      ...dropped.map(([key, value]) => isIn(key, value)),
      ...(own.matchExpressions ?? []),
      ...(namespace === undefined ? [] : [isIn(namespaceLabel, namespace)]),
      { key: namespaceLabel, operator: 'NotIn', values: [...exemptNamespaces] },
    ],
  };
}

const isIn = (key: string, value: string) => ({ key, operator: 'In' as const, values: [value] });
