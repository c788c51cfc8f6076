import { isJsonObject } from '../../base/index.ts';
import type { MatchBlock, PodSecurityExclusion, PolicyIssue } from '../types.ts';
import { checkConditions } from './conditions.ts';
import { exceptionSpecShape } from './fields.ts';
import { Issues } from './issues.ts';
import { checkSize } from './limits.ts';
import { checkNobodyAsks, filtersOf } from './match.ts';
import { checkExclusion } from './pod-security.ts';
import { checkShape } from './shape.ts';

interface ExceptionSpec {
  readonly background?: boolean;
  readonly match?: MatchBlock;
  readonly conditions?: unknown;
  readonly podSecurity?: readonly PodSecurityExclusion[];
}

/** All issues of the spec of a PolicyException. Never throws. */
export function checkException(exception: Readonly<Record<string, unknown>>): readonly PolicyIssue[] {
  const issues = new Issues();
  if (!checkSize(exception, issues)) return issues.list;
  const { spec } = exception;
  checkShape(spec, exceptionSpecShape, 'spec', issues);
  if (isJsonObject(spec) && !issues.hasErrors) checkContents(spec as ExceptionSpec, issues);
  return issues.list;
}

function checkContents({ background, match, conditions, podSecurity }: ExceptionSpec, issues: Issues): void {
  if (background !== false)
    for (const { filter, path } of filtersOf(match ?? {}, 'spec.match')) checkNobodyAsks(filter, path, issues);
  checkConditions(conditions, 'spec.conditions', issues);
  for (const [i, exclusion] of (podSecurity ?? []).entries())
    checkExclusion(exclusion, `spec.podSecurity[${i}]`, issues);
}
