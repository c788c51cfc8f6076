import type { Logger } from '../base/index.ts';
import type { KubeObject } from '../object/index.ts';
import { compilePolicy, isKindPolicy, type PolicyIssue, type PolicyObject } from '../policy/index.ts';
import type { PolicyValidator } from '../sync/index.ts';

/**
 * The engine's check of a policy, for the kinds it knows. What the engine does not support yet is logged and accepted:
 * the cluster's own Kyverno may support it.
 */
export function createEngineValidator(log: Logger): PolicyValidator {
  return async (policy) => {
    if (!isClassic(policy) && !isKindPolicy(policy)) return [];
    const { issues } = compilePolicy(policy as PolicyObject);
    const errors = issues.filter(({ severity }) => severity === 'error');
    const unsupported = errors.filter(({ code }) => code === 'policy-unsupported');
    if (unsupported.length > 0)
      log.warn('Supercargo does not support this policy yet', {
        policy: policy.metadata.name,
        issues: unsupported.map(renderIssue),
      });
    return errors.filter((issue) => !unsupported.includes(issue)).map(renderIssue);
  };
}

const isClassic = ({ apiVersion, kind }: KubeObject) =>
  apiVersion.startsWith('kyverno.io/') && (kind === 'ClusterPolicy' || kind === 'Policy');

const renderIssue = ({ path, message }: PolicyIssue) => (path === '' ? message : `${path}: ${message}`);
