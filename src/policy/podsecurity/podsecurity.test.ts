import { describe, expect, it } from 'vitest';
import { PolicyError } from '../errors.ts';
import type { PodSecurityExclusion } from '../types.ts';
import { checkPodSecurity, controlNames, renderPodSecurityFailure } from './index.ts';

type Fields = Readonly<Record<string, unknown>>;
const restricted: Fields = {
  allowPrivilegeEscalation: false,
  runAsNonRoot: true,
  seccompProfile: { type: 'RuntimeDefault' },
  capabilities: { drop: ['ALL'] },
};
const podOf = (container: Fields = {}, spec: Fields = {}, annotations: Fields = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', annotations },
  spec: { containers: [{ name: 'a', image: 'ghcr.io/acme/a:1', ...container }], ...spec },
});
const within = (securityContext: Fields) => podOf({ securityContext });
const failedBy = (level: string, pod: unknown, exclude: readonly PodSecurityExclusion[] = [], version = 'latest') =>
  checkPodSecurity({ level, version, exclude }, pod).checks.map(({ control }) => control);

describe('the baseline', () => {
  const annotation = (value: string) => podOf({}, {}, { 'container.apparmor.security.beta.kubernetes.io/a': value });
  it.each<[string, unknown, string[]]>([
    ['an ordinary pod', podOf(), []],
    ['hostNetwork', podOf({}, { hostNetwork: true }), ['Host Namespaces']],
    ['hostPID', podOf({}, { hostPID: true }), ['Host Namespaces']],
    ['hostIPC', podOf({}, { hostIPC: true }), ['Host Namespaces']],
    ['no host namespace', podOf({}, { hostPID: false }), []],
    ['a privileged container', within({ privileged: true }), ['Privileged Containers']],
    ['a capability of the list', within({ capabilities: { add: ['KILL'] } }), []],
    ['a capability beyond the list', within({ capabilities: { add: ['SYS_TIME'] } }), ['Capabilities']],
    ['a path of the host', podOf({}, { volumes: [{ name: 'v', hostPath: { path: '/' } }] }), ['HostPath Volumes']],
    ['a port of the host', podOf({ ports: [{ containerPort: 1, hostPort: 2 }] }), ['Host Ports']],
    ['an AppArmor profile of its own', annotation('localhost/x'), []],
    ['AppArmor off', annotation('unconfined'), ['AppArmor']],
    ['AppArmor off in a field', within({ appArmorProfile: { type: 'Unconfined' } }), ['AppArmor']],
    ['an SELinux type of containers', within({ seLinuxOptions: { type: 'container_init_t' } }), []],
    ['another SELinux type', within({ seLinuxOptions: { type: 'x_t' } }), ['SELinux']],
    ['an SELinux user', within({ seLinuxOptions: { user: 'u' } }), ['SELinux']],
    ['an unmasked /proc', within({ procMount: 'Unmasked' }), ['/proc Mount Type']],
    ['seccomp off', within({ seccompProfile: { type: 'Unconfined' } }), ['Seccomp']],
    [
      'a safe sysctl',
      podOf({}, { securityContext: { sysctls: [{ name: 'kernel.shm_rmid_forced', value: '0' }] } }),
      [],
    ],
    [
      'an unsafe sysctl',
      podOf({}, { securityContext: { sysctls: [{ name: 'kernel.sem', value: '0' }] } }),
      ['Sysctls'],
    ],
    ['a process of a Windows host', within({ windowsOptions: { hostProcess: true } }), ['HostProcess']],
  ])('judges %s', (_, pod, controls) => expect(failedBy('baseline', pod)).toEqual(controls));

  it('looks at init and ephemeral containers, too', () => {
    const bad = [{ name: 'i', image: 'x', securityContext: { privileged: true } }];
    expect(failedBy('baseline', podOf({}, { initContainers: bad }))).toEqual(['Privileged Containers']);
    expect(failedBy('baseline', podOf({}, { ephemeralContainers: bad }))).toEqual(['Privileged Containers']);
  });

  it('knows sysctls by version', () => {
    const pod = podOf({}, { securityContext: { sysctls: [{ name: 'net.ipv4.tcp_keepalive_time', value: '1' }] } });
    expect(failedBy('baseline', pod, [], 'v1.28')).toEqual(['Sysctls']);
    expect(failedBy('baseline', pod, [], 'v1.29')).toEqual([]);
  });
});

describe('the restricted level', () => {
  const pod = (over: Fields, spec: Fields = {}) => podOf({ securityContext: { ...restricted, ...over } }, spec);
  it.each<[string, unknown, string[]]>([
    ['what it asks for', pod({}), []],
    ['escalation', pod({ allowPrivilegeEscalation: true }), ['Privilege Escalation']],
    ['root', pod({ runAsNonRoot: false }), ['Running as Non-root']],
    ['the user 0', pod({ runAsUser: 0 }), ['Running as Non-root user']],
    ['no seccomp profile', pod({ seccompProfile: undefined }), ['Seccomp']],
    ['capabilities that are not dropped', pod({ capabilities: {} }), ['Capabilities']],
    ['the one capability that may be added', pod({ capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] } }), []],
    ['another capability', pod({ capabilities: { drop: ['ALL'], add: ['KILL'] } }), ['Capabilities']],
    ['a volume of the network', pod({}, { volumes: [{ name: 'v', nfs: {} }] }), ['Volume Types']],
    ['a volume of a claim', pod({}, { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] }), []],
  ])('judges %s', (_, object, controls) => expect([...new Set(failedBy('restricted', object))]).toEqual(controls));

  it('excuses Windows pods from what Windows has not, since 1.25', () => {
    const windows = podOf({ securityContext: { runAsNonRoot: true } }, { os: { name: 'windows' } });
    expect(failedBy('restricted', windows)).toEqual([]);
    expect(failedBy('restricted', windows, [], 'v1.24').sort()).toEqual([
      'Capabilities',
      'Privilege Escalation',
      'Seccomp',
    ]);
  });
});

describe('exclusions', () => {
  const images = ['ghcr.io/acme/*'];
  const caps = within({ capabilities: { add: ['SYS_TIME'] } });

  it('of a control excuse all of it', () => {
    expect(failedBy('baseline', podOf({}, { hostPID: true }), [{ controlName: 'Host Namespaces' }])).toEqual([]);
    expect(failedBy('baseline', caps, [{ controlName: 'Host Namespaces' }])).toEqual(['Capabilities']);
  });

  it('by image excuse the containers of that image alone', () => {
    expect(failedBy('baseline', caps, [{ controlName: 'Capabilities', images }])).toEqual([]);
    expect(failedBy('baseline', caps, [{ controlName: 'Capabilities', images: ['quay.io/*'] }])).toEqual([
      'Capabilities',
    ]);
  });

  it('by value excuse those values alone', () => {
    const restrictedField = 'spec.containers[*].securityContext.capabilities.add';
    const by = (values: string[]) => [{ controlName: 'Capabilities', images, restrictedField, values }];
    expect(failedBy('baseline', caps, by(['SYS_*']))).toEqual([]);
    expect(failedBy('baseline', caps, by(['NET_ADMIN']))).toEqual(['Capabilities']);
  });

  it('are known by the names of their controls', () => {
    expect(controlNames).toEqual(expect.arrayContaining(['Capabilities', 'HostProcess', 'Running as Non-root user']));
  });
});

describe('other objects', () => {
  const { spec } = podOf({ securityContext: { privileged: true } });
  it.each([
    ['Deployment', { template: { spec } }],
    ['Job', { template: { spec } }],
    ['CronJob', { jobTemplate: { spec: { template: { spec } } } }],
  ])('have their pod found in a %s', (kind, outer) => {
    expect(failedBy('baseline', { apiVersion: 'x/v1', kind, metadata: { name: 'x' }, spec: outer })).toEqual([
      'Privileged Containers',
    ]);
  });

  it.each([
    ['a kind without pods', { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' }, spec: {} }],
    ['a field of the wrong type', podOf({}, { hostNetwork: 'yes' })],
    ['containers that are no list', podOf({}, { containers: {} })],
  ])('are refused: %s', (_, object) => expect(() => failedBy('baseline', object)).toThrow(PolicyError));

  it('tell in a message what is forbidden and where', () => {
    const spec = { level: 'baseline', version: 'latest' };
    const { checks } = checkPodSecurity(spec, podOf({}, { hostNetwork: true }));
    expect(renderPodSecurityFailure('r', spec, checks, 'Pod')).toBe(
      `Validation rule 'r' failed. It violates PodSecurity "baseline:latest": (Forbidden reason: host namespaces, field error list: [spec.hostNetwork is forbidden, forbidden values found: true])`,
    );
  });
});
