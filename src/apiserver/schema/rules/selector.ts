import { type LabelSelector, labelSelectorOf, validateLabelKey, validateLabelValue } from '../../../object/index.ts';
import { type FieldError, forbidden, invalid, required } from '../field-error.ts';
import { Path } from '../path.ts';
import { type Fields, isObject, listIn, objectIn, stringIn } from '../value.ts';
import { checkLabels } from './metadata.ts';

/** A LabelSelector as such: operators, keys, values. */
export function checkSelector(selector: Fields | undefined, where: Path, errors: FieldError[]): void {
  if (!selector) return;
  checkLabels(objectIn(selector, 'matchLabels'), where.child('matchLabels'), errors);
  for (const [i, expression] of listIn(selector, 'matchExpressions').entries()) {
    if (isObject(expression)) checkExpression(expression, where.child('matchExpressions').at(i), errors);
  }
}

function checkExpression(expression: Fields, where: Path, errors: FieldError[]): void {
  const operator = stringIn(expression, 'operator');
  const values = listIn(expression, 'values');
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0) {
      errors.push(required(where.child('values'), "must be specified when `operator` is 'In' or 'NotIn'"));
    }
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0) {
      errors.push(
        forbidden(where.child('values'), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
      );
    }
  } else errors.push(invalid(where.child('operator'), operator, 'not a valid selector operator'));
  const key = stringIn(expression, 'key');
  for (const message of validateLabelKey(key)) errors.push(invalid(where.child('key'), key, message));
  for (const [i, value] of values.entries()) {
    for (const message of validateLabelValue(String(value))) {
      errors.push(invalid(where.child('values').at(i), value, message));
    }
  }
}

/** True when there is neither a label nor an expression to match. */
export function isEmptySelector(selector: Fields): boolean {
  return (
    Object.keys(objectIn(selector, 'matchLabels') ?? {}).length === 0 &&
    listIn(selector, 'matchExpressions').length === 0
  );
}

/** Whether the labels match; undefined when the selector itself is malformed. */
export function selectorMatches(selector: Fields, labels: Fields): boolean | undefined {
  const issues: FieldError[] = [];
  checkSelector(selector, nowhere, issues);
  if (issues.length > 0) return undefined;
  return labelSelectorOf(selector as LabelSelector)(labels as Record<string, string>);
}

const nowhere = Path.of('selector');
