import type { PolicyIssue } from '../types.ts';

/** Everything that can be wrong with a policy, by its stable name. */
export const policyIssueCodes = [
  'policy-field-unknown',
  'policy-field-type',
  'policy-field-value',
  'policy-field-required',
  'policy-field-conflict',
  'policy-name',
  'policy-processing',
  'policy-autogen',
  'policy-overrides',
  'policy-rule-name',
  'policy-rule-type',
  'policy-match',
  'policy-match-kind',
  'policy-scope',
  'policy-background',
  'policy-variable-unknown',
  'policy-variable-forbidden',
  'policy-variable-cycle',
  'policy-reference',
  'policy-expression',
  'policy-condition',
  'policy-context',
  'policy-pattern',
  'policy-patch',
  'policy-generate',
  'policy-pod-security',
  'policy-images',
  'policy-deprecated',
  'policy-limit',
  'policy-unsupported',
] as const;
type PolicyIssueCode = (typeof policyIssueCodes)[number];

/** Limits the number of issues, so that a hostile policy cannot inflate its admission response. */
const maxIssues = 50;

/** The issues found so far, in order. */
export class Issues {
  readonly list: PolicyIssue[] = [];

  error(code: PolicyIssueCode, path: string, message: string): void {
    this.add({ code, path, message, severity: 'error' });
  }

  warn(code: PolicyIssueCode, path: string, message: string): void {
    this.add({ code, path, message, severity: 'warning' });
  }

  get hasErrors(): boolean {
    return this.list.some(({ severity }) => severity === 'error');
  }

  private add(issue: PolicyIssue): void {
    if (this.list.length < maxIssues) this.list.push(issue);
  }
}

/** `spec.rules` and `name` give `spec.rules.name`; a key that is no plain word is quoted: `data["a.b"]`. */
export function fieldOf(path: string, key: string): string {
  if (!/^[A-Za-z_][\w-]*$/.test(key)) return `${path}[${JSON.stringify(cut(key))}]`;
  return path === '' ? key : `${path}.${key}`;
}

/** Text of a policy as a message may quote it. */
export function cut(text: string, length = 120): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}
