import { hasContent } from '../autogen/index.ts';
import type { PodSecurityExclusion, PodSecuritySpec } from '../types.ts';
import { cut, type Issues } from './issues.ts';
import type { RuleCheck } from './rule-context.ts';

const podControls: readonly string[] = ['Host Namespaces', 'HostPath Volumes', 'Sysctls', 'Volume Types'];
const containerControls: readonly string[] = [
  'Capabilities',
  'Privileged Containers',
  'Host Ports',
  '/proc Mount Type',
  'Privilege Escalation',
];
const otherControls: readonly string[] = [
  'HostProcess',
  'SELinux',
  'AppArmor',
  'Seccomp',
  'Running as Non-root',
  'Running as Non-root user',
];
/** Controls that only the restricted level has. */
const restrictedControls: readonly string[] = [
  'Volume Types',
  'Privilege Escalation',
  'Running as Non-root',
  'Running as Non-root user',
];

/** A podSecurity check: its level, version and exclusions. */
export function checkPodSecurity(
  { issues }: RuleCheck,
  { level, version, exclude }: PodSecuritySpec,
  path: string,
): void {
  if (!hasContent({ level, version, exclude })) {
    issues.error('policy-pod-security', path, 'a level is required');
  }
  if (version && !/^(latest|v1\.\d{1,3})$/.test(version)) {
    issues.error(
      'policy-pod-security',
      `${path}.version`,
      `"${cut(version)}" is neither latest nor a version like v1.29`,
    );
  }
  for (const [i, exclusion] of (exclude ?? []).entries()) {
    const place = `${path}.exclude[${i}]`;
    checkExclusion(exclusion, place, issues);
    if (level === 'baseline' && restrictedControls.includes(exclusion.controlName)) {
      issues.error('policy-pod-security', `${place}.controlName`, 'Invalid control name defined at the given level');
    }
  }
}

/** One control that is excluded, by a rule or by an exception. */
export function checkExclusion(exclusion: PodSecurityExclusion, place: string, issues: Issues): void {
  const { controlName, images, restrictedField, values } = exclusion;
  const name = `${place}.controlName`;
  const invalid = (where: string, message: string) => issues.error('policy-pod-security', where, message);
  if (![...podControls, ...containerControls, ...otherControls].includes(controlName)) {
    invalid(name, `"${cut(controlName)}" is no control of the Pod Security Standards`);
  }
  if (containerControls.includes(controlName) && !images?.length) {
    invalid(name, 'exclude.images must be specified for the container level control');
  }
  if (podControls.includes(controlName) && images?.length) {
    invalid(name, 'exclude.images must not be specified for the pod level control');
  }
  if (restrictedField && !values?.length) invalid(`${place}.values`, 'values is required');
  if (!restrictedField && values?.length) invalid(`${place}.restrictedField`, 'restrictedField is required');
}
