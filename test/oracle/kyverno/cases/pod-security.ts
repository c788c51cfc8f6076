import type { JsonObject } from '../../../../src/base/index.ts';
import { pod, policy } from '../build.ts';
import type { PolicyCase } from '../case.ts';

const restricted = {
  allowPrivilegeEscalation: false,
  runAsNonRoot: true,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
};
const container = (more: JsonObject = {}, security: JsonObject = restricted): JsonObject => ({
  name: 'c',
  image: 'ghcr.io/x/y:1',
  securityContext: security,
  ...more,
});
const specs: readonly JsonObject[] = [
  { containers: [container()] },
  { containers: [container({}, {})] },
  { containers: [{ name: 'c', image: 'nginx' }] },
  { containers: [container({}, { ...restricted, privileged: true })] },
  { containers: [container({}, { ...restricted, capabilities: { add: ['NET_ADMIN', 'CHOWN'], drop: ['ALL'] } })] },
  { containers: [container({}, { ...restricted, capabilities: { add: ['NET_BIND_SERVICE'], drop: ['ALL'] } })] },
  { containers: [container({}, { ...restricted, capabilities: { drop: ['KILL'] } })] },
  { containers: [container()], hostNetwork: true, hostPID: true, hostIPC: true },
  {
    containers: [
      container({
        ports: [
          { containerPort: 80, hostPort: 80 },
          { containerPort: 81, hostPort: 0 },
        ],
      }),
    ],
  },
  { containers: [container()], volumes: [{ name: 'v', hostPath: { path: '/etc' } }] },
  {
    containers: [container()],
    volumes: [
      { name: 'v', hostPath: { path: '/var' } },
      { name: 'n', nfs: { server: 's', path: '/' } },
      { name: 'e', emptyDir: {} },
      { name: 'x' },
    ],
  },
  {
    containers: [container({}, { ...restricted, seLinuxOptions: { type: 'spc_t', user: 'u', role: 'r' } })],
    securityContext: { seLinuxOptions: { type: 'container_t' } },
  },
  { containers: [container({}, { ...restricted, procMount: 'Unmasked' })] },
  {
    containers: [container({}, { ...restricted, seccompProfile: { type: 'Unconfined' } })],
    securityContext: { seccompProfile: { type: 'Unconfined' } },
  },
  {
    containers: [
      container({}, { allowPrivilegeEscalation: false, runAsNonRoot: true, capabilities: { drop: ['ALL'] } }),
    ],
    securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
  },
  {
    containers: [
      container(
        {},
        {
          allowPrivilegeEscalation: false,
          capabilities: { drop: ['ALL'] },
          seccompProfile: { type: 'Localhost', localhostProfile: 'p' },
        },
      ),
    ],
    securityContext: { runAsNonRoot: true, runAsUser: 0 },
  },
  { containers: [container({}, { ...restricted, runAsUser: 0, runAsNonRoot: false })] },
  {
    containers: [container()],
    securityContext: {
      sysctls: [
        { name: 'kernel.msgmax', value: '1' },
        { name: 'net.ipv4.tcp_syncookies', value: '1' },
        { name: 'net.ipv4.tcp_keepalive_time', value: '1' },
      ],
    },
  },
  { containers: [container()], securityContext: { windowsOptions: { hostProcess: true } }, hostNetwork: true },
  { containers: [container({}, { windowsOptions: { hostProcess: true } })], os: { name: 'windows' } },
  { containers: [container({}, {})], os: { name: 'windows' } },
  { containers: [container()], initContainers: [container({ name: 'i', image: 'init:1' }, {})] },
  { containers: [container()], ephemeralContainers: [container({ name: 'e', image: 'debug' }, { privileged: true })] },
  {
    containers: [
      container(),
      container({ name: 'd', image: 'docker.io/istio/proxy:2' }, { privileged: true, allowPrivilegeEscalation: true }),
    ],
  },
  {
    containers: [container({}, { ...restricted, appArmorProfile: { type: 'Unconfined' } })],
    securityContext: { appArmorProfile: { type: 'Unconfined' } },
  },
  {
    containers: [
      container({
        livenessProbe: { httpGet: { path: '/', port: 80, host: '10.0.0.1' } },
        lifecycle: { preStop: { tcpSocket: { port: 1, host: 'x' } } },
      }),
    ],
  },
  { containers: [container()], hostUsers: false },
  { containers: [container({}, { ...restricted, procMount: 'Unmasked', runAsNonRoot: false })], hostUsers: false },
];
const annotated = [
  { 'container.apparmor.security.beta.kubernetes.io/c': 'unconfined' },
  { 'container.apparmor.security.beta.kubernetes.io/c': 'localhost/x' },
  {
    'seccomp.security.alpha.kubernetes.io/pod': 'unconfined',
    'container.seccomp.security.alpha.kubernetes.io/c': 'localhost/p',
  },
];
const pods = [
  ...specs.map((spec, i) => pod(`p${i}`, spec)),
  ...annotated.map((annotations, i) => pod(`a${i}`, { containers: [container()] }, { annotations })),
];
const deployments = specs.slice(0, 6).map(
  (spec, i): JsonObject => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: `d${i}` },
    spec: { selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } }, spec } },
  }),
);
const cronjobs = specs.slice(2, 5).map(
  (spec, i): JsonObject => ({
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: `j${i}` },
    spec: { schedule: '* * * * *', jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', ...spec } } } } },
  }),
);

const versions = [
  'latest',
  'v1.19',
  'v1.22',
  'v1.23',
  'v1.24',
  'v1.25',
  'v1.27',
  'v1.29',
  'v1.31',
  'v1.32',
  'v1.34',
  undefined,
];
const excludes: readonly (readonly JsonObject[])[] = [
  [{ controlName: 'Privileged Containers', images: ['*'] }],
  [{ controlName: 'Privileged Containers', images: ['nginx*', 'docker.io/istio/*'] }],
  [{ controlName: 'Capabilities', images: ['*'] }],
  [
    {
      controlName: 'Capabilities',
      images: ['ghcr.io/*'],
      restrictedField: 'spec.containers[*].securityContext.capabilities.add',
      values: ['NET_ADMIN'],
    },
  ],
  [
    {
      controlName: 'Capabilities',
      images: ['ghcr.io/*'],
      restrictedField: 'spec.containers[*].securityContext.capabilities.add',
      values: ['NET_ADMIN', 'CHOWN'],
    },
  ],
  [
    {
      controlName: 'Capabilities',
      images: ['*'],
      restrictedField: 'spec.containers[*].securityContext.capabilities.drop',
      values: ['KILL'],
    },
  ],
  [{ controlName: 'Host Namespaces' }],
  [{ controlName: 'Host Namespaces', restrictedField: 'spec.hostNetwork', values: ['true'] }],
  [{ controlName: 'HostPath Volumes' }],
  [{ controlName: 'HostPath Volumes', restrictedField: 'spec.volumes[*].hostPath', values: ['/etc'] }],
  [{ controlName: 'HostPath Volumes', restrictedField: 'spec.volumes[*].hostPath.path', values: ['/e*'] }],
  [{ controlName: 'Volume Types' }],
  [{ controlName: 'Volume Types', restrictedField: 'spec.volumes[*].nfs', values: ['*'] }],
  [{ controlName: 'Host Ports', images: ['*'] }],
  [
    {
      controlName: 'Host Ports',
      images: ['*'],
      restrictedField: 'spec.containers[*].ports[*].hostPort',
      values: ['80'],
    },
  ],
  [{ controlName: 'Seccomp' }, { controlName: 'Seccomp', images: ['*'] }],
  [{ controlName: 'Seccomp' }],
  [{ controlName: 'Seccomp', images: ['*'] }],
  [
    { controlName: 'Seccomp', restrictedField: 'spec.securityContext.seccompProfile.type', values: ['Unconfined'] },
    {
      controlName: 'Seccomp',
      images: ['*'],
      restrictedField: 'spec.containers[*].securityContext.seccompProfile.type',
      values: ['Unconfined'],
    },
  ],
  [{ controlName: 'Running as Non-root' }],
  [{ controlName: 'Running as Non-root', images: ['*'] }],
  [{ controlName: 'Running as Non-root user', images: ['*'] }, { controlName: 'Running as Non-root user' }],
  [{ controlName: 'Privilege Escalation', images: ['*'] }],
  [{ controlName: 'SELinux', images: ['*'] }],
  [
    {
      controlName: 'SELinux',
      images: ['*'],
      restrictedField: 'spec.containers[*].securityContext.seLinuxOptions.type',
      values: ['spc_t'],
    },
  ],
  [{ controlName: 'Sysctls' }],
  [{ controlName: 'Sysctls', restrictedField: 'spec.securityContext.sysctls[*].name', values: ['kernel.msgmax'] }],
  [{ controlName: '/proc Mount Type', images: ['*'] }],
  [{ controlName: 'AppArmor' }],
  [
    {
      controlName: 'AppArmor',
      restrictedField: 'metadata.annotations[container.apparmor.security.beta.kubernetes.io/*]',
      values: ['unconfined'],
    },
  ],
  [{ controlName: 'HostProcess' }],
  [{ controlName: 'HostProcess', images: ['*'] }],
  [
    {
      controlName: 'Privileged Containers',
      images: ['*'],
      restrictedField: 'spec.ephemeralContainers[*].securityContext.privileged',
      values: ['true'],
    },
  ],
  [
    { controlName: 'Privileged Containers', images: ['*'] },
    { controlName: 'Privilege Escalation', images: ['*'] },
    { controlName: 'Capabilities', images: ['*'] },
    { controlName: 'Running as Non-root', images: ['*'] },
    { controlName: 'Seccomp', images: ['*'] },
  ],
  [{ controlName: 'No Such Control', images: ['*'] }],
];

const security = (name: string, podSecurity: JsonObject, resources: readonly JsonObject[]): PolicyCase => ({
  name,
  policies: [
    policy('security', [
      {
        name: 'r',
        match: { any: [{ resources: { kinds: ['Pod'] } }] },
        validate: { message: 'insecure', podSecurity },
      },
    ]),
  ],
  resources,
});

/** The pod security standards: levels, versions, exclusions. */
export const podSecurityCases: readonly PolicyCase[] = [
  ...['baseline', 'restricted', 'privileged'].flatMap((level) =>
    versions.map((version) =>
      security(`${level} ${version}`, { level, ...(version ? { version } : {}) }, [
        ...pods,
        ...deployments,
        ...cronjobs,
      ]),
    ),
  ),
  ...['baseline', 'restricted'].flatMap((level) =>
    excludes.map((exclude) =>
      security(`${level} without ${JSON.stringify(exclude)}`, { level, version: 'latest', exclude }, pods),
    ),
  ),
];
