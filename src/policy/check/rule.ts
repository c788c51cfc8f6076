import { hasContent } from '../autogen/index.ts';
import type { PolicySpec } from '../types.ts';
import { checkConditions } from './conditions.ts';
import { checkContext } from './context.ts';
import { checkGenerate } from './generate.ts';
import { checkImages } from './images.ts';
import { checkMatch } from './match.ts';
import { checkMutate } from './mutate.ts';
import { checkOverrides } from './overrides.ts';
import { checkReferences } from './references.ts';
import { isSet, type RuleCheck } from './rule-context.ts';
import { checkValidate } from './validate.ts';
import { checkVariables } from './variables.ts';

/** Everything about one rule, except its name among the others. */
export function checkRule(check: RuleCheck, spec: PolicySpec): void {
  const { rule, path, issues } = check;
  const does = {
    mutate: hasContent(rule.mutate),
    validate: hasContent(rule.validate),
    generate: hasContent(rule.generate, ['clone', 'cloneList']),
    verifyImages: (rule.verifyImages ?? []).some((image) => hasContent(image, ['validate'])),
  };
  checkType(check, Object.values(does).filter(Boolean).length);
  if (isSet(rule.imageExtractors) && !does.verifyImages) {
    issues.error('policy-field-conflict', `${path}.imageExtractors`, 'can only be defined for verifyImages rule');
  }
  if (rule.celPreconditions?.length && !isSet(rule.validate?.cel)) {
    issues.error('policy-field-conflict', `${path}.celPreconditions`, 'can only be used with validate.cel');
  }
  checkMatch(check);
  checkContext(check, rule.context, `${path}.context`);
  checkConditions(rule.preconditions, `${path}.preconditions`, issues);
  if (rule.validate && does.validate) {
    checkValidate(check, rule.validate);
    checkFailureActions(check);
  }
  if (rule.mutate && does.mutate) checkMutate(check, rule.mutate);
  if (rule.generate && does.generate) checkGenerate(check, rule.generate);
  if (rule.verifyImages && does.verifyImages) checkImages(check, rule.verifyImages, spec.validationFailureAction);
  checkVariables(check);
  checkReferences(check);
}

function checkType({ rule, path, issues }: RuleCheck, operations: number): void {
  if (operations === 1) return;
  const supported = '(mutate, validate, generate, verifyImages)';
  if (operations === 0) {
    issues.error(
      'policy-rule-type',
      path,
      `No operation defined in the rule '${rule.name}': one of ${supported} is needed`,
    );
  } else {
    issues.error(
      'policy-rule-type',
      path,
      `Multiple operations defined in the rule '${rule.name}', only one of ${supported} is allowed per rule`,
    );
  }
}

function checkFailureActions({ rule, path, issues, policy }: RuleCheck): void {
  if (policy.isNamespaced) return;
  checkOverrides(rule.validate?.failureActionOverrides, `${path}.validate.failureActionOverrides`, issues);
}
