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

/** How the API server reaches us. */
export type WebhookAddress =
  | { readonly service: { readonly namespace: string; readonly name: string; readonly port: number } }
  /** `https://127.0.0.1:9443`, without a path. */
  | { readonly url: string };

export interface ConfigurationOptions {
  readonly installation: string;
  readonly address: WebhookAddress;
  /** PEM; empty where the certificate comes from an authority that everybody trusts. */
  readonly bundle: string;
  /** Namespaces that no webhook ever sees: with us gone, they must still be repairable. */
  readonly exemptNamespaces: readonly string[];
  readonly namespaceSelector?: LabelSelector | undefined;
  readonly objectSelector?: LabelSelector | undefined;
}

export function configurationName(installation: string, { name }: Pick<Registration, 'name'>): string {
  return `${installation}-${name}`;
}

/** The configuration object, with every field written that the server would fill in: equal means in step. */
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
    },
    webhooks: entries.map((entry) => renderWebhook(entry, type, options)),
  };
}

export function renderWebhook(entry: WebhookEntry, type: Registration['type'], options: ConfigurationOptions) {
  const { name, rules, failurePolicy, timeoutSeconds, matchConditions } = entry;
  return {
    name: `${name}.${options.installation}.svc`,
    admissionReviewVersions: ['v1'],
    clientConfig: clientConfigOf(entry, options),
    failurePolicy,
    matchPolicy: 'Equivalent',
    namespaceSelector: namespaceSelectorOf(entry, options),
    objectSelector: options.objectSelector ?? {},
    rules,
    sideEffects: 'NoneOnDryRun',
    timeoutSeconds,
    ...(type === 'mutating' ? { reinvocationPolicy: 'IfNeeded' } : {}),
    ...(matchConditions?.length ? { matchConditions } : {}),
  };
}

function clientConfigOf({ path }: WebhookEntry, { address, bundle }: ConfigurationOptions) {
  const caBundle = bundle === '' ? {} : { caBundle: Buffer.from(bundle).toString('base64') };
  return 'url' in address
    ? { ...caBundle, url: `${address.url}${path}` }
    : { ...caBundle, service: { ...address.service, path } };
}

/** Set on every namespace by the API server itself. */
const nameLabel = 'kubernetes.io/metadata.name';

/** Namespaces that fit all: an entry never sees one that the administrator's selector leaves out. */
function namespaceSelectorOf(
  { namespaceSelector: own = {}, namespace }: WebhookEntry,
  { namespaceSelector = {}, exemptNamespaces }: ConfigurationOptions,
): LabelSelector {
  const labels = namespaceSelector.matchLabels ?? {};
  const matchLabels = { ...own.matchLabels, ...labels };
  // Of two values for one label, the merge above keeps one; the other must hold as well.
  const dropped = Object.entries(own.matchLabels ?? {}).filter(([key]) => Object.hasOwn(labels, key));
  return {
    ...(Object.keys(matchLabels).length > 0 ? { matchLabels } : {}),
    matchExpressions: [
      ...(namespaceSelector.matchExpressions ?? []),
      ...dropped.map(([key, value]) => isIn(key, value)),
      ...(own.matchExpressions ?? []),
      ...(namespace === undefined ? [] : [isIn(nameLabel, namespace)]),
      { key: nameLabel, operator: 'NotIn', values: [...exemptNamespaces] },
    ],
  };
}

const isIn = (key: string, value: string) => ({ key, operator: 'In' as const, values: [value] });
