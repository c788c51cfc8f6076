import { type CheckLine, fail, pass, warn } from './check-line.ts';

/** The oldest minor version of Kubernetes 1 that is supported, and the newest that is tested. */
const [oldest, newest] = [28, 36];
/** ValidatingAdmissionPolicy, which guards ImageDetected objects. */
const withAdmissionPolicies = 30;
const name = 'api-server';

/** `v1.31.2+k3s1`, `v1.31.2-gke.100`: as the API server reports it. */
export function checkVersion(version: string, features: readonly string[]): CheckLine {
  const [, major, minorText] = /^v?(\d+)\.(\d+)/.exec(version) ?? [];
  const minor = Number(minorText);
  if (major === undefined) return warn(name, `version ${version} cannot be read`, `Kubernetes 1.${oldest} is needed`);
  if (major !== '1' || minor < oldest)
    return fail(name, `Kubernetes ${version} is not supported`, `upgrade the cluster to 1.${oldest} or newer`);
  if (minor > newest)
    return warn(name, `Kubernetes ${version} is newer than what is tested`, `tested is up to 1.${newest}`);
  if (minor < withAdmissionPolicies && features.includes('detect'))
    return warn(
      name,
      `Kubernetes ${version} has no ValidatingAdmissionPolicy v1`,
      `allow only trusted users to write ImageDetected objects, or upgrade to 1.${withAdmissionPolicies}`,
    );
  return pass(name, `Kubernetes ${version} is supported`);
}
