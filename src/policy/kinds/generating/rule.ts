import { setOwn } from '../../../base/index.ts';
import { CelError } from '../../../cel/index.ts';
import type { CompiledRule } from '../../compile/index.ts';
import { errored, type MaybeOutcome, pass, type RuleOutcome } from '../../run/outcome.ts';
import { judgeConditions } from '../conditions.ts';
import { KindEvaluator } from '../evaluator.ts';
import { judgeExceptions } from '../exceptions.ts';
import { compileGenerating, type Generation } from './expressions.ts';
import { GeneratedObjects } from './objects.ts';
import type { GeneratingSpec } from './types.ts';

const failedToEvaluate = (message: string): RuleOutcome => errored(`failed to evaluate policy: ${message}`);

/** What the policy makes for one object; nothing is told where its conditions do not hold. */
export function compileGeneratingRun(spec: GeneratingSpec, policyNamespace: string): CompiledRule['run'] {
  const { variables, conditions, generations, annotations } = compileGenerating(spec, policyNamespace !== '');
  return (run, exceptions): MaybeOutcome => {
    const excused = judgeExceptions(run, exceptions, false);
    if ('outcome' in excused) return excused.outcome;
    const made = new GeneratedObjects(policyNamespace);
    const evaluator = new KindEvaluator(run, excused.allowances, variables, (objects, namespace) => {
      const mistake = made.add(objects, namespace);
      return mistake === undefined ? true : new CelError(`failed to generate resources: ${mistake}`);
    });
    const met = judgeConditions(conditions, evaluator);
    if (met === false) return undefined;
    if (met !== true) return failedToEvaluate(met.error);
    for (const generation of generations) {
      const mistake = generate(generation, evaluator, made);
      if (mistake !== undefined) return failedToEvaluate(mistake);
    }
    const properties: Record<string, string> = {};
    for (const { key, expression } of annotations) {
      const value = evaluator.evaluate(expression, 'auditAnnotations');
      if (value instanceof CelError) return failedToEvaluate(`auditAnnotation "${key}": ${value.message}`);
      if (typeof value === 'string' && value !== '') setOwn(properties, key, value);
    }
    return {
      ...pass('policy evaluated successfully'),
      generated: made.list,
      ...(made.copies.size > 0 ? { copies: made.copies } : {}),
      ...(annotations.length > 0 ? { properties } : {}),
    };
  };
}

function generate(generation: Generation, evaluator: KindEvaluator, made: GeneratedObjects): string | undefined {
  if ('expression' in generation) {
    const value = evaluator.evaluate(generation.expression, 'generate');
    return value instanceof CelError ? value.message : undefined;
  }
  const { template } = generation;
  if ('error' in template) return template.error;
  for (const [i, document] of template.documents.entries()) {
    const object = document((expression) => evaluator.evaluate(expression, 'template'));
    const mistake = object instanceof CelError ? object.message : made.addRendered(object);
    if (mistake !== undefined) return `failed to render generation template: document ${i + 1}: ${mistake}`;
  }
  return undefined;
}
