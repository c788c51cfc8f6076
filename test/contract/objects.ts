/** Small objects that the tests of several areas create. */
export const configMap = (name: string, data: Readonly<Record<string, string>> = {}, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data,
});

export const pod = (name: string, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...metadata },
  spec: { containers: [{ name: 'main', image: 'registry.test/app:1' }] },
});

export const deployment = (name: string, replicas = 0) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: pod(name).spec },
  },
});

export const job = (name: string) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name },
  spec: { template: { spec: { ...pod(name).spec, restartPolicy: 'Never' } } },
});

export interface CrdOptions {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  readonly scope?: 'Namespaced' | 'Cluster';
  readonly schema?: object;
  readonly version?: object;
  readonly versions?: readonly object[];
}

/** A CustomResourceDefinition with one version `v1` and a status, unless `versions` says otherwise. */
export const crd = ({ group, plural, kind, scope = 'Namespaced', schema, version, versions }: CrdOptions) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    scope,
    names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
    versions: versions ?? [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: schema ?? openSchema },
        ...version,
      },
    ],
  },
});

/** Accepts every spec and status. */
export const openSchema = {
  type: 'object',
  properties: {
    spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
};
