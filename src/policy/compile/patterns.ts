import { errorMessage, isJsonObject } from '../../base/index.ts';
import { Need } from '../context/index.ts';
import { compilePattern, type PatternOutcome, parseAnchor } from '../pattern/index.ts';
import { sizeOf, spend } from '../run/budget.ts';
import { errored, failed, type MaybeOutcome, pass, skip } from '../run/outcome.ts';
import { type Run, resolverOf } from '../run/run.ts';
import type { TraceStep } from '../run/trace.ts';
import { compileDocument, type DocumentTemplate } from '../variables/index.ts';
import type { RuleMessage } from './message.ts';

type PatternCheck = (run: Run, resource: unknown) => MaybeOutcome;

/** `validate.pattern`: the object must match the pattern. */
export function compilePatternCheck(rule: string, pattern: unknown, message: RuleMessage): PatternCheck {
  const template = compileDocument(pattern);
  const passed = pass(`validation rule '${rule}' passed.`);
  const units = unitsOf(pattern, template);
  // Compiled on first use: not every rule of a policy is evaluated.
  let constant: ReturnType<typeof compilePattern> | undefined;
  return (run, resource) => {
    spend(run, units);
    let outcome: PatternOutcome;
    if (constant !== undefined && run.trace === undefined) outcome = constant.match(resource);
    else {
      const resolved = resolveWith(template, run);
      if ('error' in resolved) return errored(resolved.error);
      const compiled = compilePattern(resolved.value);
      if (template.isStatic) constant = compiled;
      outcome = compiled.match(resource);
      run.trace?.(patternStep('pattern', outcome, resolved.value, resource));
    }
    switch (outcome.kind) {
      case 'pass':
        return passed;
      case 'skip':
        return skip(outcome.message);
      case 'fail':
        return failed(message.forPath(run, outcome.path, outcome.message), outcome.path);
      case 'error':
        return errored(message.forError(run, outcome.message));
    }
  };
}

/** `validate.anyPattern`: one pattern must match; skipped when all are skipped. */
export function compileAnyPatternCheck(rule: string, patterns: readonly unknown[], message: RuleMessage): PatternCheck {
  const template = compileDocument(patterns);
  const passed = patterns.map((_, i) => pass(`validation rule '${rule}' anyPattern[${i}] passed.`));
  const units = unitsOf(patterns, template);
  let constant: readonly unknown[] | undefined;
  return (run, resource) => {
    spend(run, units);
    let all = constant;
    if (all === undefined) {
      const resolved = resolveWith(template, run);
      if ('error' in resolved) return errored(resolved.error);
      all = resolved.value as readonly unknown[];
      if (template.isStatic) constant = all;
    }
    const failures: string[] = [];
    const skips: string[] = [];
    for (let i = 0; i < all.length; i++) {
      const pattern = all[i];
      const outcome = compilePattern(pattern).match(resource);
      run.trace?.(patternStep(`anyPattern[${i}]`, outcome, pattern, resource));
      if (outcome.kind === 'pass') return passed[i];
      if (outcome.kind === 'skip') skips.push(`rule ${rule}[${i}] skipped: ${outcome.message}`);
      else if (outcome.kind === 'fail') failures.push(`rule ${rule}[${i}] failed at path ${outcome.path}`);
      else failures.push(`rule ${rule}[${i}] failed: ${outcome.message}`);
    }
    if (failures.length > 0) return failed(message.forAlternatives(run, failures.join(' ')));
    return skips.length > 0 ? skip(skips.join(' ')) : pass('');
  };
}

/** A pattern with variables is resolved and compiled for each request. */
function unitsOf(pattern: unknown, { isStatic }: DocumentTemplate): number {
  return isStatic ? 1 : 10 * sizeOf(pattern);
}

function patternStep(where: string, outcome: PatternOutcome, pattern: unknown, resource: unknown): TraceStep {
  const step = { kind: 'pattern' as const, where, outcome: outcome.kind };
  if (outcome.kind === 'pass') return step;
  const { path, message } = outcome;
  if (path === '') return { ...step, message };
  const place = path.slice(1);
  return { ...step, path, message, expected: partAt(pattern, place), found: partAt(resource, place) };
}

/**
 * The value at a path (`spec/containers/0/image/`) of the object or of a pattern. In a pattern, anchors are not part of
 * a key, and the first element of a list applies to all elements. Keys may contain slashes.
 */
function partAt(value: unknown, path: string): unknown {
  if (path === '') return value;
  const [index] = /^\d+(?=\/)/.exec(path) ?? [];
  if (Array.isArray(value) && index !== undefined)
    return partAt(Number(index) in value ? value[Number(index)] : value[0], path.slice(index.length + 1));
  // A scalar of a pattern applies to every element of a list.
  if (!isJsonObject(value)) return path === `${index}/` ? value : undefined;
  for (const [raw, field] of Object.entries(value)) {
    const key = parseAnchor(raw)?.key ?? raw;
    const part = path.startsWith(`${key}/`) ? partAt(field, path.slice(key.length + 1)) : undefined;
    if (part !== undefined) return part;
  }
  return undefined;
}

function resolveWith(template: DocumentTemplate, run: Run): { value: unknown } | { error: string } {
  try {
    return { value: template.resolve(resolverOf(run)) };
  } catch (thrown) {
    if (thrown instanceof Need) throw thrown;
    return { error: `variable substitution failed: ${errorMessage(thrown)}` };
  }
}
