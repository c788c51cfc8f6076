/** The objects that most tests start from, small enough to be read where they are used. */
export const configMap = (
  name: string,
  data: Readonly<Record<string, string>> = { k: 'v' },
  metadata: object = {},
) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data,
});

export const pod = (name: string, labels: Readonly<Record<string, string>> = { app: name }) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels },
  spec: { containers: [{ name: 'main', image: 'nginx:1.29', env: [{ name: 'MODE', value: 'test' }] }] },
});

export const deployment = (name: string, replicas = 1, image = 'nginx:1.28') => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, labels: { app: name } },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image }] } },
  },
});

export const job = (name: string) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name },
  spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox:1.37' }] } } },
});

export const cronJob = (name: string) => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name },
  spec: { schedule: '0 0 1 1 *', jobTemplate: { spec: job(name).spec } },
});

/** Names without a group are the whole cluster's: those of two definitions must differ, or kubectl chooses. */
export const shipNames = (group: string) => {
  const [fleet = ''] = group.split('.');
  return { shortNames: [fleet.replace('fleet-', 'shp')], categories: [fleet] };
};

/** A definition with everything that kubectl shows of one: columns, short names, categories, scale and status. */
export const shipDefinition = (group: string) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `ships.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'ships', singular: 'ship', kind: 'Ship', ...shipNames(group) },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {}, scale: { specReplicasPath: '.spec.masts', statusReplicasPath: '.status.masts' } },
        additionalPrinterColumns: [
          { name: 'Masts', type: 'integer', jsonPath: '.spec.masts' },
          { name: 'Port', type: 'string', jsonPath: '.status.port' },
          { name: 'Captain', type: 'string', jsonPath: '.spec.captain', priority: 1 },
          { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
        ],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            description: 'Ship sails.',
            properties: {
              spec: {
                type: 'object',
                required: ['masts'],
                properties: {
                  masts: { type: 'integer', minimum: 1, description: 'How many masts it has.' },
                  captain: { type: 'string', enum: ['ahab', 'nemo'] },
                },
              },
              status: {
                type: 'object',
                properties: { masts: { type: 'integer' }, port: { type: 'string' } },
              },
            },
          },
        },
      },
    ],
  },
});

export const ship = (group: string, name: string, spec: object = { masts: 3, captain: 'ahab' }) => ({
  apiVersion: `${group}/v1`,
  kind: 'Ship',
  metadata: { name },
  spec,
});
