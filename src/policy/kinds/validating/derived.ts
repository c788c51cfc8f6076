import { CelCompileError, pathsIn } from '../../../cel/index.ts';
import { type DerivedSpec, derivedSpecs } from '../../autogen/index.ts';
import type { Issues } from '../../check/issues.ts';
import type { ValidatingSpec } from './types.ts';

/** The specs for controllers of Pods. Payloads have no controllers. */
export const derive = (spec: ValidatingSpec): readonly DerivedSpec<ValidatingSpec>[] =>
  (spec.evaluation?.mode ?? 'Kubernetes') === 'Kubernetes' ? derivedSpecs(spec) : [];

/** The template of a Pod has labels and annotations; what identifies an object is absent. */
const absent: ReadonlySet<string> = new Set(['name', 'generateName', 'uid', 'ownerReferences']);

/**
 * Warns of expressions that read the name of a Pod: in the derived specs they read that of a template, which has none.
 * A message that fails has another in its place.
 */
export function warnOfTemplateNames(spec: ValidatingSpec, issues: Issues): void {
  const [form] = derive(spec);
  if (!form || issues.hasErrors) return;
  for (const [place, expression] of expressionsOf(form.spec)) {
    const field = absentFieldIn(expression);
    if (field === undefined) continue;
    const reads = `for controllers of Pods this reads metadata.${field} of their template, which is absent`;
    issues.warn('policy-autogen', place, `${reads}: an empty autogen.podControllers.controllers derives nothing`);
  }
}

type Placed = readonly [place: string, expression: string];

const expressionsOf = (spec: ValidatingSpec): readonly Placed[] => [
  ...(spec.matchConditions ?? []).map(({ expression }, i): Placed => [`spec.matchConditions[${i}]`, expression]),
  ...(spec.variables ?? []).map(({ expression }, i): Placed => [`spec.variables[${i}]`, expression]),
  ...(spec.validations ?? []).map(({ expression }, i): Placed => [`spec.validations[${i}]`, expression]),
];

function absentFieldIn(expression: string): string | undefined {
  for (const path of pathsOf(expression)) {
    const metadata = path.indexOf('metadata');
    const field = path[metadata + 1];
    if (path[metadata - 1] === 'template' && field !== undefined && absent.has(field)) return field;
  }
  return undefined;
}

function pathsOf(expression: string): readonly (readonly string[])[] {
  try {
    return pathsIn(expression);
  } catch (thrown) {
    // Reported as a mistake of the expression itself.
    if (thrown instanceof CelCompileError) return [];
    throw thrown;
  }
}
