import type { PodSecuritySpec } from '../types.ts';
import type { FieldError } from './check.ts';
import type { FailedCheck } from './evaluate.ts';
import { templatePath } from './pod.ts';

/** The message of a rule whose podSecurity failed, with the fields named as they are in an object of that kind. */
export function renderPodSecurityFailure(
  ruleName: string,
  spec: PodSecuritySpec,
  checks: readonly FailedCheck[],
  kind: unknown,
): string {
  const failures = checks.map((check) => renderCheck(check, kind)).join('');
  return `Validation rule '${ruleName}' failed. It violates PodSecurity "${spec.level ?? ''}:${spec.version ?? ''}": ${failures}`;
}

function renderCheck(check: FailedCheck, kind: unknown): string {
  const errors = (check.errors ?? []).map((error) => renderError({ ...error, field: fieldIn(kind, error.field) }));
  return `(Forbidden reason: ${check.forbiddenReason}, field error list: [${errors.join(', ')}])`;
}

function renderError({ field, type, badValue }: FieldError): string {
  if (type === 'Required') return `${field}: Required value`;
  if (badValue === undefined || badValue === '') return `${field}: Forbidden`;
  const value = Array.isArray(badValue) ? `[${badValue.join(' ')}]` : String(badValue);
  return `${field} is forbidden, forbidden values found: ${value}`;
}

const prefixes = { template: 'spec.template.spec', jobTemplate: 'spec.jobTemplate.spec.template.spec' } as const;

/** Upstream replaces the words wherever they stand, and moves the metadata of plain pods too. */
function fieldIn(kind: unknown, field: string): string {
  const path = templatePath(kind);
  const moved = path === 'template' || path === 'jobTemplate' ? field.replaceAll('spec', prefixes[path]) : field;
  return moved.replaceAll('metadata', 'spec.template.metadata');
}
