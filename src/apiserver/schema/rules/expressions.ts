import { dequal } from 'dequal';
import { boolType, type CelType } from '../../../cel/index.ts';
import { validateQualifiedName } from '../../../object/index.ts';
import { compileExpression, type Expression, type ExpressionScope, scopeOf } from '../../expressions/index.ts';
import { duplicate, type FieldError, internalError, invalid, required, tooMany } from '../field-error.ts';
import type { Path } from '../path.ts';
import { type Fields, isObject, isUnset, listIn, stringIn } from '../value.ts';

const maxConditions = 64;

/** The `matchConditions` of a webhook or a policy. */
export function checkMatchConditions(
  holder: Fields,
  { hasParams }: { readonly hasParams: boolean },
  where: Path,
  errors: FieldError[],
): void {
  const conditions = listIn(holder, 'matchConditions');
  const here = where.child('matchConditions');
  if (conditions.length > maxConditions) errors.push(tooMany(here, conditions.length, maxConditions));
  const names = new Set<string>();
  const scope = scopeOf({ hasParams, hasAuthorizer: true });
  for (const [i, condition] of conditions.entries()) {
    if (!isObject(condition)) continue;
    const expression = stringIn(condition, 'expression').trim();
    if (expression === '') errors.push(required(here.at(i).child('expression')));
    else checkExpression(expression, scope, [boolType], here.at(i).child('expression'), errors);
    checkConditionName(stringIn(condition, 'name'), names, here.at(i).child('name'), errors);
  }
}

function checkConditionName(name: string, names: Set<string>, where: Path, errors: FieldError[]): void {
  if (name === '') {
    errors.push(required(where));
    return;
  }
  for (const issue of validateQualifiedName(name)) errors.push(invalid(where, name, issue));
  if (names.has(name)) errors.push(duplicate(where, name));
  names.add(name);
}

/** Conditions that did not change are not looked at again. */
export const hasSameConditions = (before: Fields, after: Fields): boolean =>
  dequal(listIn(before, 'matchConditions'), listIn(after, 'matchConditions')) &&
  (isUnset(before['paramKind']) ? isUnset(after['paramKind']) : dequal(before['paramKind'], after['paramKind']));

export function checkExpression(
  source: string,
  scope: ExpressionScope,
  types: readonly CelType[] | undefined,
  where: Path,
  errors: FieldError[],
): void {
  reportExpression(compileExpression(source, scope, types), where, errors);
}

/** An error unless the expression compiles. */
export function reportExpression({ compiled }: Expression, where: Path, errors: FieldError[]): void {
  if (!('error' in compiled)) return;
  const { source, error } = compiled;
  errors.push(
    error.startsWith('program instantiation failed') ? internalError(where, error) : invalid(where, source, error),
  );
}
