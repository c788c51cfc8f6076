import { type Check, type FieldError, forbidden, namesOf, plural, quoted, settersOf, sortedSet } from './check.ts';
import { containersOf, flag, integer, listOf, optional, type Pod, text, textsOf } from './pod.ts';

const from = (minor: number, check: Check['versions'][number]['check']) => ({ minor, check });

const capabilitiesAllowed = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
]);

export const capabilitiesBaseline: Check = {
  id: 'capabilities_baseline',
  level: 'baseline',
  versions: [
    from(0, (pod) => {
      const bad = containersOf(pod).flatMap((container) => {
        const capabilities = container.securityContext && optional(container.securityContext, 'capabilities');
        const added = capabilities ? textsOf(capabilities, 'add') : [];
        const values = sortedSet(added.filter((name) => !capabilitiesAllowed.has(name)));
        return values.length > 0 ? [{ container, values }] : [];
      });
      if (bad.length === 0) return undefined;
      const values = sortedSet(bad.flatMap((one) => one.values));
      return {
        reason: 'non-default capabilities',
        detail: `${namesOf(bad.map((one) => one.container))} must not include ${quoted(values)} in securityContext.capabilities.add`,
        errors: bad.map((one) => forbidden(`${one.container.path}.securityContext.capabilities.add`, one.values)),
      };
    }),
  ],
};

export const hostNamespaces: Check = {
  id: 'hostNamespaces',
  level: 'baseline',
  versions: [
    from(0, ({ spec }) => {
      const set = ['hostNetwork', 'hostPID', 'hostIPC'].filter((field) => flag(spec, field));
      if (set.length === 0) return undefined;
      return {
        reason: 'host namespaces',
        detail: set.map((field) => `${field}=true`).join(', '),
        errors: set.map((field) => forbidden(`spec.${field}`, true)),
      };
    }),
  ],
};

export const hostPathVolumes: Check = {
  id: 'hostPathVolumes',
  level: 'baseline',
  versions: [
    from(0, ({ spec }) => {
      const names: string[] = [];
      const errors: FieldError[] = [];
      for (const [index, volume] of listOf(spec, 'volumes').entries()) {
        const hostPath = optional(volume, 'hostPath');
        if (!hostPath) continue;
        names.push(text(volume, 'name'));
        errors.push(forbidden(`spec.volumes[${index}].hostPath`, text(hostPath, 'path')));
      }
      if (names.length === 0) return undefined;
      const detail = `${plural(names.length, 'volume', 'volumes')} ${quoted(names)}`;
      return { reason: 'hostPath volumes', detail, errors };
    }),
  ],
};

export const hostPorts: Check = {
  id: 'hostPorts',
  level: 'baseline',
  versions: [
    from(0, (pod) => {
      const bad = containersOf(pod).flatMap((container) => {
        const ports = listOf(container.fields, 'ports').flatMap((port, index) => {
          const hostPort = integer(port, 'hostPort') ?? 0;
          return hostPort === 0 ? [] : [{ field: `${container.path}.ports[${index}].hostPort`, hostPort }];
        });
        return ports.length > 0 ? [{ container, ports }] : [];
      });
      if (bad.length === 0) return undefined;
      const ports = sortedSet(bad.flatMap((one) => one.ports.map((port) => String(port.hostPort))));
      const names = namesOf(bad.map((one) => one.container));
      const use = `${plural(bad.length, 'uses', 'use')} ${plural(ports.length, 'hostPort', 'hostPorts')}`;
      return {
        reason: 'hostPort',
        detail: `${names} ${use} ${ports.join(', ')}`,
        errors: bad.flatMap((one) => one.ports.map((port) => forbidden(port.field, port.hostPort))),
      };
    }),
  ],
};

function probeHosts(fields: Readonly<Record<string, unknown>>): readonly string[] {
  const lifecycle = optional(fields, 'lifecycle') ?? {};
  const handlers = [
    ...['livenessProbe', 'readinessProbe', 'startupProbe'].map((key) => optional(fields, key)),
    ...['postStart', 'preStop'].map((key) => optional(lifecycle, key)),
  ];
  return handlers.flatMap((handler) =>
    ['httpGet', 'tcpSocket'].flatMap((key) => {
      const action = handler && optional(handler, key);
      const host = action ? text(action, 'host') : '';
      return host === '' ? [] : [host];
    }),
  );
}

export const hostProbes: Check = {
  id: 'hostProbesAndHostLifecycle',
  level: 'baseline',
  versions: [
    from(34, (pod) => {
      const bad = containersOf(pod).filter((container) => probeHosts(container.fields).length > 0);
      if (bad.length === 0) return undefined;
      const names = sortedSet(bad.map((container) => container.name));
      const hosts = sortedSet(bad.flatMap((container) => probeHosts(container.fields)));
      const subject = `${plural(names.length, 'container', 'containers')} ${quoted(names)}`;
      const object = `${plural(hosts.length, 'probe or lifecycle host', 'probe or lifecycle hosts')} ${quoted(hosts)}`;
      return {
        reason: 'probe or lifecycle host',
        detail: `${subject} ${plural(names.length, 'uses', 'use')} ${object}`,
      };
    }),
  ],
};

export const privileged: Check = {
  id: 'privileged',
  level: 'baseline',
  versions: [
    from(0, (pod) => {
      const bad = containersOf(pod).filter((container) => flag(container.securityContext, 'privileged'));
      if (bad.length === 0) return undefined;
      return {
        reason: 'privileged',
        detail: `${namesOf(bad)} must not set securityContext.privileged=true`,
        errors: bad.map((container) => forbidden(`${container.path}.securityContext.privileged`, true)),
      };
    }),
  ],
};

export const procMount: Check = {
  id: 'procMount',
  level: 'baseline',
  versions: [
    from(0, (pod) => {
      const bad = containersOf(pod).flatMap((container) => {
        const set = container.securityContext?.['procMount'] ?? undefined;
        const value = set === undefined ? 'Default' : text(container.securityContext!, 'procMount');
        return value === 'Default' ? [] : [{ container, value }];
      });
      if (bad.length === 0) return undefined;
      const values = sortedSet(bad.map((one) => one.value));
      return {
        reason: 'procMount',
        detail: `${namesOf(bad.map((one) => one.container))} must not set securityContext.procMount to ${quoted(values)}`,
        errors: bad.map(({ container, value }) => forbidden(`${container.path}.securityContext.procMount`, value)),
      };
    }),
  ],
};

const sysctlsAt0 = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
];
const sysctlsAt27 = [...sysctlsAt0, 'net.ipv4.ip_local_reserved_ports'];
const sysctlsAt29 = [
  ...sysctlsAt27,
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
];
const sysctlsAt32 = [...sysctlsAt29, 'net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem'];

function checkSysctls(allowed: ReadonlySet<string>, { spec }: Pod) {
  const names: string[] = [];
  const errors: FieldError[] = [];
  for (const [index, sysctl] of listOf(optional(spec, 'securityContext') ?? {}, 'sysctls').entries()) {
    const name = text(sysctl, 'name');
    if (allowed.has(name)) continue;
    names.push(name);
    errors.push(forbidden(`spec.securityContext.sysctls[${index}].name`, name));
  }
  return names.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: names.join(', '), errors };
}

export const sysctls: Check = {
  id: 'sysctls',
  level: 'baseline',
  versions: [
    { minor: 0, names: sysctlsAt0 },
    { minor: 27, names: sysctlsAt27 },
    { minor: 29, names: sysctlsAt29 },
    { minor: 32, names: sysctlsAt32 },
  ].map(({ minor, names }) => {
    const allowed = new Set(names);
    return from(minor, (pod) => checkSysctls(allowed, pod));
  }),
};

const isHostProcess = (securityContext: Readonly<Record<string, unknown>> | undefined): boolean =>
  flag(securityContext && optional(securityContext, 'windowsOptions'), 'hostProcess') === true;

export const windowsHostProcess: Check = {
  id: 'windowsHostProcess',
  level: 'baseline',
  versions: [
    from(0, (pod) => {
      const byPod = isHostProcess(optional(pod.spec, 'securityContext'));
      const bad = containersOf(pod).filter((container) => isHostProcess(container.securityContext));
      if (!byPod && bad.length === 0) return undefined;
      const paths = [...(byPod ? ['spec'] : []), ...bad.map((container) => container.path)];
      return {
        reason: 'hostProcess',
        detail: `${settersOf(byPod, bad)} must not set securityContext.windowsOptions.hostProcess=true`,
        errors: paths.map((path) => forbidden(`${path}.securityContext.windowsOptions.hostProcess`, true)),
      };
    }),
  ],
};
