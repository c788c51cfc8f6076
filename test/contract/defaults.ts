import { expect, it } from 'vitest';
import { expectCode, type Fixture } from './fixture.ts';
import { deployment, job, pod } from './objects.ts';

const container = {
  name: 'main',
  image: 'registry.test/app:1',
  resources: {},
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  imagePullPolicy: 'IfNotPresent',
};

const podSpec = {
  containers: [container],
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  dnsPolicy: 'ClusterFirst',
  securityContext: {},
  schedulerName: 'default-scheduler',
};

export function defineDefaults(fixture: Fixture): void {
  const create = async (prefix: string, resource: string, object: object) => {
    const namespace = await fixture.namespace();
    return expectCode(fixture.api.post(`${prefix}/namespaces/${namespace}/${resource}`, object), 201);
  };

  it('fills in a Deployment', async () => {
    const body = await create('/apis/apps/v1', 'deployments', deployment('a'));
    expect(body.spec).toEqual({
      replicas: 0,
      selector: { matchLabels: { app: 'a' } },
      template: { metadata: { labels: { app: 'a' } }, spec: podSpec },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
    });
    expect(body.metadata.generation).toBe(1);
    expect(body['status']).toEqual({});
  });

  it('gives a Deployment one replica unless it says otherwise', async () => {
    const { replicas: _, ...spec } = deployment('a').spec;
    const paused = { ...deployment('a'), spec: { ...spec, paused: true } };
    expect((await create('/apis/apps/v1', 'deployments', paused)).spec['replicas']).toBe(1);
  });

  it('fills in a StatefulSet and a DaemonSet', async () => {
    const { selector, template } = deployment('a').spec;
    const set = await create('/apis/apps/v1', 'statefulsets', {
      metadata: { name: 'a' },
      spec: { selector, template, replicas: 0, serviceName: 's' },
    });
    expect(set.spec).toMatchObject({
      podManagementPolicy: 'OrderedReady',
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      revisionHistoryLimit: 10,
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
    });
    const daemons = await create('/apis/apps/v1', 'daemonsets', {
      metadata: { name: 'a' },
      spec: { selector, template },
    });
    expect(daemons.spec).toMatchObject({
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
      revisionHistoryLimit: 10,
    });
  });

  it('fills in a Pod, with the account and its token that admission adds', async () => {
    const { spec, ...body } = await create('/api/v1', 'pods', pod('a'));
    const { containers, volumes, ...rest } = spec as { containers: object[]; volumes: object[] } & typeof spec;
    const { containers: _, ...expected } = podSpec;
    expect(rest).toMatchObject({
      ...expected,
      serviceAccountName: 'default',
      serviceAccount: 'default',
      enableServiceLinks: true,
      preemptionPolicy: 'PreemptLowerPriority',
      priority: 0,
      tolerations: [
        { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
        { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      ],
    });
    expect(containers).toMatchObject([
      { ...container, volumeMounts: [{ readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }] },
    ]);
    expect(volumes).toMatchObject([{ projected: { defaultMode: 420 } }]);
    expect(body['status']).toEqual({ phase: 'Pending', qosClass: 'BestEffort' });
  });

  it('pulls an image always when it has the tag latest or none', async () => {
    const images = ['a', 'a:latest', 'a:1', `a@sha256:${'0'.repeat(64)}`, 'host:5000/a'];
    const containers = images.map((image, index) => ({ name: `c${index}`, image }));
    const { spec } = await create('/api/v1', 'pods', { ...pod('a'), spec: { containers } });
    const policies = (spec['containers'] as { imagePullPolicy: string }[]).map((each) => each.imagePullPolicy);
    expect(policies).toEqual(['Always', 'Always', 'IfNotPresent', 'IfNotPresent', 'Always']);
  });

  it('fills in probes, ports, environment references and volumes of a pod', async () => {
    const { spec } = await create('/api/v1', 'pods', {
      metadata: { name: 'a' },
      spec: {
        containers: [
          {
            name: 'main',
            image: 'a:1',
            ports: [{ containerPort: 80 }],
            env: [{ name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }],
            readinessProbe: { httpGet: { port: 80 } },
            resources: { limits: { cpu: '1500m', memory: '0.5Gi' } },
          },
        ],
        volumes: [
          { name: 'secret', secret: { secretName: 's' } },
          { name: 'map', configMap: { name: 'm' } },
          { name: 'host', hostPath: { path: '/tmp' } },
          { name: 'none' },
        ],
        automountServiceAccountToken: false,
      },
    });
    expect(spec['containers']).toMatchObject([
      {
        ports: [{ containerPort: 80, protocol: 'TCP' }],
        env: [{ name: 'IP', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'status.podIP' } } }],
        readinessProbe: {
          httpGet: { path: '/', port: 80, scheme: 'HTTP' },
          timeoutSeconds: 1,
          periodSeconds: 10,
          successThreshold: 1,
          failureThreshold: 3,
        },
        resources: { limits: { cpu: '1500m', memory: '512Mi' }, requests: { cpu: '1500m', memory: '512Mi' } },
      },
    ]);
    expect(spec['volumes']).toEqual([
      { name: 'secret', secret: { secretName: 's', defaultMode: 420 } },
      { name: 'map', configMap: { name: 'm', defaultMode: 420 } },
      { name: 'host', hostPath: { path: '/tmp', type: '' } },
      { name: 'none', emptyDir: {} },
    ]);
  });

  it('fills in a Service and gives it an address of its own', async () => {
    const body = await create('/api/v1', 'services', {
      metadata: { name: 'a' },
      spec: { selector: { app: 'a' }, ports: [{ port: 80 }] },
    });
    const { clusterIP, clusterIPs, ...rest } = body.spec;
    expect(rest).toEqual({
      ports: [{ protocol: 'TCP', port: 80, targetPort: 80 }],
      selector: { app: 'a' },
      type: 'ClusterIP',
      sessionAffinity: 'None',
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      internalTrafficPolicy: 'Cluster',
    });
    expect(clusterIP).toMatch(/^10\.\d+\.\d+\.\d+$/);
    expect(clusterIPs).toEqual([clusterIP]);
    expect(body['status']).toEqual({ loadBalancer: {} });
  });

  it('gives a headless Service no address', async () => {
    const { spec } = await create('/api/v1', 'services', { metadata: { name: 'a' }, spec: { clusterIP: 'None' } });
    expect(spec).toMatchObject({ clusterIP: 'None', clusterIPs: ['None'], type: 'ClusterIP' });
  });

  it('fills in a Job and makes the selector and the labels of its pods from its uid', async () => {
    const { metadata, spec } = await create('/apis/batch/v1', 'jobs', job('a'));
    const { uid } = metadata;
    const labels = {
      'batch.kubernetes.io/controller-uid': uid,
      'batch.kubernetes.io/job-name': 'a',
      'controller-uid': uid,
      'job-name': 'a',
    };
    expect(spec).toEqual({
      parallelism: 1,
      completions: 1,
      backoffLimit: 6,
      completionMode: 'NonIndexed',
      suspend: false,
      podReplacementPolicy: 'TerminatingOrFailed',
      manualSelector: false,
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } },
      template: { metadata: { labels }, spec: { ...podSpec, restartPolicy: 'Never' } },
    });
    expect(metadata.labels).toEqual(labels);
    expect(metadata.generation).toBe(1);
  });

  it('fills in a CronJob', async () => {
    const { spec } = await create('/apis/batch/v1', 'cronjobs', {
      metadata: { name: 'a' },
      spec: { schedule: '0 0 1 1 *', jobTemplate: { spec: job('a').spec } },
    });
    expect(spec).toEqual({
      schedule: '0 0 1 1 *',
      concurrencyPolicy: 'Allow',
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
      jobTemplate: { metadata: {}, spec: { template: { metadata: {}, spec: { ...podSpec, restartPolicy: 'Never' } } } },
    });
  });

  it('writes quantities in their canonical form', async () => {
    const { spec } = await create('/api/v1', 'resourcequotas', {
      metadata: { name: 'a' },
      spec: { hard: { 'requests.cpu': '1000m', 'requests.memory': '1024Mi', pods: 10, 'limits.memory': '1500M' } },
    });
    expect(spec['hard']).toEqual({
      'requests.cpu': '1',
      'requests.memory': '1Gi',
      pods: '10',
      'limits.memory': '1500M',
    });
  });
}
