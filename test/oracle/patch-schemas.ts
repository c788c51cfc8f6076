import type { PatchSchema } from '../../src/object/index.ts';

/** The patch keys of a few built-in kinds, written by hand from the API reference. */
const map: PatchSchema = { additionalProperties: {} };

const mergedBy = (key: string, properties: Record<string, PatchSchema> = {}, strategy = 'merge'): PatchSchema => ({
  items: { properties },
  'x-kubernetes-patch-strategy': strategy,
  'x-kubernetes-patch-merge-key': key,
});

const container: Record<string, PatchSchema> = {
  env: mergedBy('name', { valueFrom: { properties: { fieldRef: { properties: {} } } } }),
  ports: mergedBy('containerPort'),
  volumeMounts: mergedBy('mountPath'),
  args: { items: {} },
  resources: { properties: { limits: map, requests: map } },
};

const podSpec: PatchSchema = {
  properties: {
    containers: mergedBy('name', container),
    initContainers: mergedBy('name', container),
    volumes: mergedBy('name', { emptyDir: { properties: {} }, hostPath: { properties: {} } }, 'merge,retainKeys'),
    imagePullSecrets: mergedBy('name'),
    hostAliases: mergedBy('ip', { hostnames: { items: {} } }),
    topologySpreadConstraints: mergedBy('topologyKey'),
    tolerations: { items: { properties: {} } },
    nodeSelector: map,
    securityContext: { properties: { seLinuxOptions: { properties: {} }, supplementalGroups: { items: {} } } },
  },
};

const metadata: PatchSchema = {
  properties: {
    labels: map,
    annotations: map,
    finalizers: { items: {}, 'x-kubernetes-patch-strategy': 'merge' },
    ownerReferences: mergedBy('uid'),
  },
};

export const podSchema: PatchSchema = { properties: { metadata, spec: podSpec } };

export const deploymentSchema: PatchSchema = {
  properties: {
    metadata,
    spec: {
      properties: {
        selector: { properties: { matchLabels: map, matchExpressions: { items: {} } } },
        strategy: {
          properties: { rollingUpdate: { properties: {} } },
          'x-kubernetes-patch-strategy': 'retainKeys',
        },
        template: { properties: { metadata, spec: podSpec } },
      },
    },
  },
};

export const serviceSchema: PatchSchema = {
  properties: {
    metadata,
    spec: { properties: { ports: mergedBy('port'), selector: map, externalIPs: { items: {} } } },
  },
};
