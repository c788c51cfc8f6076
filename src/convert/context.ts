import type { RuleSpec } from '../policy/index.ts';
import { quote } from './cel-text.ts';
import { type Converted, convertExpression, type ExpressionScope } from './expression.ts';
import { refuse } from './not-convertible.ts';
import { typeOf, valueOr } from './place.ts';

/** The context entries of a rule that only name a value of the request; throws NotConvertible for the others. */
export function convertContext(
  context: RuleSpec['context'],
  scope: ExpressionScope,
  path: string,
): ReadonlyMap<string, Converted> {
  const entries = new Map<string, Converted>();
  for (const [i, { name, variable, ...others }] of (context ?? []).entries()) {
    const at = `${path}[${i}]`;
    const [kind] = Object.keys(others);
    if (variable === undefined) return refuse(`${path}`, `context entries of kind ${kind} are not converted`);
    entries.set(name, convertVariable(variable, { ...scope, entries }, at));
  }
  return entries;
}

type Variable = NonNullable<NonNullable<RuleSpec['context']>[number]['variable']>;

function convertVariable(
  { value, jmesPath, default: fallback }: Variable,
  scope: ExpressionScope,
  path: string,
): Converted {
  if (jmesPath === undefined) {
    if (typeof value !== 'string' || value.includes('{{'))
      return refuse(path, 'the value of a variable must be a text');
    return { text: quote(value), type: 'string', literal: value };
  }
  if (value !== undefined) return refuse(path, 'a variable with value and jmesPath');
  const found = convertExpression(jmesPath, scope, path);
  if (fallback === undefined || fallback === null) return found;
  const { place } = found;
  if (place === undefined || typeof fallback !== 'string' || typeOf(place) !== 'string')
    return refuse(path, 'a default for what is no text');
  scope.touched.add(place, fallback);
  return { text: valueOr(place, quote(fallback)), type: 'string', about: place };
}
