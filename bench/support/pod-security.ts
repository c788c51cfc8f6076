/** Seventeen rules of the Pod Security Standards as patterns, and a review of a pod of about 5 KB that passes them. */
interface Rule {
  readonly name: string;
  readonly message: string;
  readonly pattern?: object;
  readonly anyPattern?: readonly object[];
}

const everyContainer = (container: object) => ({
  '=(ephemeralContainers)': [container],
  '=(initContainers)': [container],
  containers: [container],
});
const inContext = (context: object) => everyContainer({ '=(securityContext)': context });

const rules: readonly Rule[] = [
  {
    name: 'host-namespaces',
    message: 'Host namespaces are not allowed.',
    pattern: { spec: { '=(hostPID)': false, '=(hostIPC)': false, '=(hostNetwork)': false } },
  },
  {
    name: 'host-path',
    message: 'HostPath volumes are not allowed.',
    pattern: { spec: { '=(volumes)': [{ 'X(hostPath)': 'null' }] } },
  },
  {
    name: 'host-ports',
    message: 'Host ports are not allowed.',
    pattern: { spec: everyContainer({ '=(ports)': [{ '=(hostPort)': 0 }] }) },
  },
  {
    name: 'host-process',
    message: 'HostProcess containers are not allowed.',
    pattern: {
      spec: {
        '=(securityContext)': { '=(windowsOptions)': { '=(hostProcess)': false } },
        ...inContext({ '=(windowsOptions)': { '=(hostProcess)': false } }),
      },
    },
  },
  {
    name: 'privileged',
    message: 'Privileged containers are not allowed.',
    pattern: { spec: inContext({ '=(privileged)': false }) },
  },
  {
    name: 'proc-mount',
    message: 'The proc mount must be the default.',
    pattern: { spec: inContext({ '=(procMount)': 'Default' }) },
  },
  {
    name: 'seccomp',
    message: 'The seccomp profile must be RuntimeDefault or Localhost.',
    pattern: {
      spec: {
        '=(securityContext)': { '=(seccompProfile)': { '=(type)': 'RuntimeDefault | Localhost' } },
        ...inContext({ '=(seccompProfile)': { '=(type)': 'RuntimeDefault | Localhost' } }),
      },
    },
  },
  {
    name: 'seccomp-strict',
    message: 'A seccomp profile is required.',
    anyPattern: [
      { spec: { securityContext: { seccompProfile: { type: 'RuntimeDefault | Localhost' } } } },
      { spec: everyContainer({ securityContext: { seccompProfile: { type: 'RuntimeDefault | Localhost' } } }) },
    ],
  },
  {
    name: 'selinux-type',
    message: 'This SELinux type is not allowed.',
    pattern: {
      spec: {
        '=(securityContext)': {
          '=(seLinuxOptions)': { '=(type)': 'container_t | container_init_t | container_kvm_t' },
        },
        ...inContext({ '=(seLinuxOptions)': { '=(type)': 'container_t | container_init_t | container_kvm_t' } }),
      },
    },
  },
  {
    name: 'selinux-user-role',
    message: 'SELinux user and role may not be set.',
    pattern: {
      spec: {
        '=(securityContext)': { '=(seLinuxOptions)': { 'X(user)': 'null', 'X(role)': 'null' } },
        ...inContext({ '=(seLinuxOptions)': { 'X(user)': 'null', 'X(role)': 'null' } }),
      },
    },
  },
  {
    name: 'apparmor',
    message: 'This AppArmor profile is not allowed.',
    pattern: {
      '=(metadata)': {
        '=(annotations)': { '=(container.apparmor.security.beta.kubernetes.io/*)': 'runtime/default | localhost/*' },
      },
    },
  },
  {
    name: 'sysctls',
    message: 'This sysctl is not allowed.',
    pattern: {
      spec: {
        '=(securityContext)': {
          '=(sysctls)': [
            {
              '=(name)':
                'kernel.shm_rmid_forced | net.ipv4.ip_local_port_range | net.ipv4.tcp_syncookies | net.ipv4.ping_group_range',
            },
          ],
        },
      },
    },
  },
  {
    name: 'volume-types',
    message: 'This type of volume is not allowed.',
    pattern: {
      spec: {
        '=(volumes)': [
          {
            'X(nfs)': 'null',
            'X(iscsi)': 'null',
            'X(glusterfs)': 'null',
            'X(rbd)': 'null',
            'X(cephfs)': 'null',
            'X(flexVolume)': 'null',
          },
        ],
      },
    },
  },
  {
    name: 'privilege-escalation',
    message: 'Privilege escalation must be off.',
    pattern: { spec: everyContainer({ securityContext: { allowPrivilegeEscalation: false } }) },
  },
  {
    name: 'run-as-non-root',
    message: 'Containers must not run as root.',
    anyPattern: [
      { spec: { securityContext: { runAsNonRoot: true }, ...inContext({ '=(runAsNonRoot)': true }) } },
      { spec: everyContainer({ securityContext: { runAsNonRoot: true } }) },
    ],
  },
  {
    name: 'run-as-user',
    message: 'The user must not be root.',
    pattern: { spec: { '=(securityContext)': { '=(runAsUser)': '>0' }, ...inContext({ '=(runAsUser)': '>0' }) } },
  },
  {
    name: 'capabilities',
    message: 'All capabilities must be dropped.',
    pattern: { spec: everyContainer({ securityContext: { capabilities: { drop: ['ALL'] } } }) },
  },
];

export const podSecurityPolicies = rules.map(({ name, ...validate }) => ({
  apiVersion: 'kyverno.io/v1',
  kind: 'ClusterPolicy',
  metadata: { name, uid: name, generation: 1 },
  spec: {
    validationFailureAction: 'Enforce',
    rules: [{ name, match: { any: [{ resources: { kinds: ['Pod'] } }] }, validate }],
  },
}));

const securityContext = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  readOnlyRootFilesystem: true,
  runAsNonRoot: true,
  runAsUser: 65532,
};

const container = (name: string) => ({
  name,
  image: `registry.example.com/shop/${name}:1.24.3`,
  imagePullPolicy: 'IfNotPresent',
  env: Array.from({ length: 6 }, (_, i) => ({ name: `SETTING_${i}`, value: `value of the setting ${i}` })),
  ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
  resources: { limits: { cpu: '1', memory: '512Mi' }, requests: { cpu: '100m', memory: '128Mi' } },
  livenessProbe: { httpGet: { path: '/healthz', port: 'http', scheme: 'HTTP' }, periodSeconds: 10, timeoutSeconds: 1 },
  volumeMounts: [
    { name: 'config', mountPath: '/etc/shop', readOnly: true },
    { name: 'kube-api-access-x7d2p', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount', readOnly: true },
  ],
  securityContext,
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
});

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'shop-7d9f8b6c5-x2v4q',
    namespace: 'default',
    uid: '5b3f2c7e-8a4d-4c1b-9f6e-2d7a1c5b8e90',
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: { app: 'shop', 'app.kubernetes.io/part-of': 'store', 'pod-template-hash': '7d9f8b6c5' },
    annotations: { 'prometheus.io/scrape': 'true', 'prometheus.io/port': '8080' },
    ownerReferences: [
      {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        name: 'shop-7d9f8b6c5',
        uid: '0c9d',
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
    managedFields: [
      {
        manager: 'kube-controller-manager',
        operation: 'Update',
        apiVersion: 'v1',
        time: '2026-01-01T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } },
          'f:spec': { 'f:containers': {}, 'f:volumes': {} },
        },
      },
    ],
  },
  spec: {
    containers: [container('shop'), container('cache')],
    initContainers: [container('migrate')],
    volumes: [
      { name: 'config', configMap: { name: 'shop', defaultMode: 420 } },
      {
        name: 'kube-api-access-x7d2p',
        projected: {
          defaultMode: 420,
          sources: [
            { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
            { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
          ],
        },
      },
    ],
    securityContext: { runAsNonRoot: true, fsGroup: 65532, seccompProfile: { type: 'RuntimeDefault' } },
    serviceAccountName: 'shop',
    restartPolicy: 'Always',
    dnsPolicy: 'ClusterFirst',
    schedulerName: 'default-scheduler',
    terminationGracePeriodSeconds: 30,
    tolerations: [
      { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
    ],
  },
};

export const podReview = {
  kind: 'AdmissionReview',
  apiVersion: 'admission.k8s.io/v1',
  request: {
    uid: '705ab4f5-6393-11e8-b7cc-42010a800002',
    kind: { group: '', version: 'v1', kind: 'Pod' },
    resource: { group: '', version: 'v1', resource: 'pods' },
    requestKind: { group: '', version: 'v1', kind: 'Pod' },
    requestResource: { group: '', version: 'v1', resource: 'pods' },
    name: pod.metadata.name,
    namespace: 'default',
    operation: 'CREATE',
    userInfo: {
      username: 'system:serviceaccount:kube-system:replicaset-controller',
      groups: ['system:serviceaccounts', 'system:authenticated'],
    },
    object: pod,
    oldObject: null,
    dryRun: false,
    options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
  },
};
