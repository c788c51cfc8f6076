import { maskTrailingDash, validateDnsLabel, validateDnsSubdomain } from '../../../object/index.ts';

/** What is wrong with a name; a prefix is a generateName, whose last dash a suffix will follow. */
export type NameRule = (name: string, isPrefix: boolean) => readonly string[];

export const dnsSubdomainName: NameRule = (name, isPrefix) =>
  validateDnsSubdomain(isPrefix ? maskTrailingDash(name) : name);
const dnsLabelName: NameRule = (name, isPrefix) => validateDnsLabel(isPrefix ? maskTrailingDash(name) : name);

/** RBAC names may hold colons and capitals: anything that can stand in a URL's path. */
export const pathSegmentName: NameRule = (name) => {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return ['/', '%']
    .filter((character) => name.includes(character))
    .map((character) => `may not contain '${character}'`);
};

const rules: Readonly<Record<string, NameRule>> = {
  '/Namespace': dnsLabelName,
  '/Service': dnsLabelName,
  'rbac.authorization.k8s.io/Role': pathSegmentName,
  'rbac.authorization.k8s.io/ClusterRole': pathSegmentName,
  'rbac.authorization.k8s.io/RoleBinding': pathSegmentName,
  'rbac.authorization.k8s.io/ClusterRoleBinding': pathSegmentName,
  'flowcontrol.apiserver.k8s.io/FlowSchema': pathSegmentName,
  'flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration': pathSegmentName,
  'certificates.k8s.io/CertificateSigningRequest': pathSegmentName,
};

/** The rule for the names of a kind; a DNS subdomain for nearly all. */
export function nameRuleOf(group: string, kind: string): NameRule {
  return rules[`${group}/${kind}`] ?? dnsSubdomainName;
}
