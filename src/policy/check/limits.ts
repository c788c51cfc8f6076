import { cut, fieldOf, type Issues } from './issues.ts';

/** Rules in one policy. The largest public policies have about thirty. */
export const maxRules = 1000;
/** Size as JSON: an object larger than this does not fit into a cluster's storage together with its status. */
const maxPolicyBytes = 1_048_576;
/** Nesting of a policy, patterns and nested loops included. */
const maxPolicyDepth = 100;
/** Stars in one wildcard; matching costs their number times the length of the text. */
const maxStars = 32;

/** Whether the policy is within the limits for further checks. Stops at the first exceeded limit. */
export function checkSize(policy: unknown, issues: Issues): boolean {
  let bytes = 0;
  const visit = (value: unknown, path: string, depth: number): boolean => {
    bytes += typeof value === 'string' ? value.length + 3 : 4;
    if (bytes > maxPolicyBytes) {
      issues.error('policy-limit', '', `the policy is larger than ${maxPolicyBytes} bytes`);
      return false;
    }
    if (typeof value !== 'object' || value === null) return true;
    if (depth > maxPolicyDepth) {
      issues.error('policy-limit', cut(path, 500), `the policy is nested more than ${maxPolicyDepth} levels deep`);
      return false;
    }
    if (Array.isArray(value)) return value.every((item, i) => visit(item, `${path}[${i}]`, depth + 1));
    return Object.entries(value).every(([key, item]) => {
      bytes += key.length + 4;
      return visit(item, fieldOf(path, key), depth + 1);
    });
  };
  return visit(policy, '', 0);
}

/** Refuses a wildcard with too many stars. */
export function checkStars(pattern: string, path: string, issues: Issues): void {
  const stars = pattern.match(/\*+/g)?.length ?? 0;
  if (stars > maxStars) {
    issues.error(
      'policy-limit',
      path,
      `the wildcard "${cut(pattern)}" has ${stars} stars; at most ${maxStars} are allowed`,
    );
  }
}
