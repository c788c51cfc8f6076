import {
  capabilitiesBaseline,
  hostNamespaces,
  hostPathVolumes,
  hostPorts,
  hostProbes,
  privileged,
  procMount,
  sysctls,
  windowsHostProcess,
} from './baseline.ts';
import type { Check } from './check.ts';
import { appArmorProfile, seccompBaseline, seccompRestricted } from './profiles.ts';
import {
  allowPrivilegeEscalation,
  capabilitiesRestricted,
  restrictedVolumes,
  runAsNonRoot,
  runAsUser,
} from './restricted.ts';
import { seLinuxOptions } from './selinux.ts';

/** In the order in which failures are listed. */
export const checks: readonly Check[] = [
  allowPrivilegeEscalation,
  appArmorProfile,
  capabilitiesBaseline,
  capabilitiesRestricted,
  hostNamespaces,
  hostPathVolumes,
  hostPorts,
  hostProbes,
  privileged,
  procMount,
  restrictedVolumes,
  runAsNonRoot,
  runAsUser,
  seLinuxOptions,
  seccompBaseline,
  seccompRestricted,
  sysctls,
  windowsHostProcess,
];

const idsByControl: ReadonlyMap<string, readonly string[]> = new Map([
  ['Capabilities', ['capabilities_baseline', 'capabilities_restricted']],
  ['Seccomp', ['seccompProfile_baseline', 'seccompProfile_restricted']],
  ['Privileged Containers', ['privileged']],
  ['Host Ports', ['hostPorts']],
  ['/proc Mount Type', ['procMount']],
  ['HostProcess', ['windowsHostProcess']],
  ['SELinux', ['seLinuxOptions']],
  ['Host Namespaces', ['hostNamespaces']],
  ['HostPath Volumes', ['hostPathVolumes']],
  ['Sysctls', ['sysctls']],
  ['AppArmor', ['appArmorProfile']],
  ['Privilege Escalation', ['allowPrivilegeEscalation']],
  ['Running as Non-root', ['runAsNonRoot']],
  ['Running as Non-root user', ['runAsUser']],
  ['Volume Types', ['restrictedVolumes']],
]);

const controlById = new Map([...idsByControl].flatMap(([control, ids]) => ids.map((id) => [id, control] as const)));

/** The checks of a control, by the name that policies use; none for a name that is no control. */
export const checkIdsOf = (controlName: string): readonly string[] => idsByControl.get(controlName) ?? [];

/** A check's control; empty for the one check that no policy can name. */
export const controlOf = (id: string): string => controlById.get(id) ?? '';

export const controlNames: readonly string[] = [...idsByControl.keys()];
