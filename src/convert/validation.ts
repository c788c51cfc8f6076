import type { RuleSpec } from '../policy/index.ts';
import { always, and, type Bool, not, or, renderBool, test } from './bool.ts';
import { convertConditions } from './conditions.ts';
import { convertListPlaces, type ExpressionScope } from './expression.ts';
import { type ConvertedMessage, convertMessage } from './message.ts';
import { refuse } from './not-convertible.ts';
import { convertPattern, passes } from './pattern.ts';
import { elementPlace, rootPlace, valueOr } from './place.ts';

interface Validation extends ConvertedMessage {
  readonly expression: string;
}

interface ConvertedValidation {
  readonly validations: readonly Validation[];
  readonly variables?: readonly { readonly name: string; readonly expression: string }[];
  readonly auditAnnotations?: readonly { readonly key: string; readonly valueExpression: string }[];
  readonly notes: readonly string[];
}

/** The part of a rule that judges; throws NotConvertible. */
export function convertValidation(rule: RuleSpec, scope: ExpressionScope, path: string): ConvertedValidation {
  const { validate } = rule;
  if (validate === undefined) return refuse(path, 'a rule without validate, mutate or generate');
  const { pattern, anyPattern, deny, cel } = validate;
  if (cel) return convertCel(validate, `${path}.validate.cel`);
  const expression = (): Bool => {
    const root = rootPlace('object', scope.schema);
    const convert = (one: unknown, at: string) => convertPattern(one, root, at, scope.touched);
    if (pattern !== undefined) return passes(convert(pattern, `${path}.validate.pattern`));
    if (anyPattern !== undefined) {
      const patterns = anyPattern.map((one, i) => convert(one, `${path}.validate.anyPattern[${i}]`));
      const isMet = or(patterns.map(({ skips, isMet: met }) => and([not(skips), met])));
      return or([isMet, and(patterns.map(({ skips }) => skips))]);
    }
    if (deny !== undefined) return not(convertConditions(deny.conditions, scope, `${path}.validate.deny.conditions`));
    if (validate.foreach !== undefined)
      return and(validate.foreach.map((one, i) => convertForEach(one, scope, `${path}.validate.foreach[${i}]`)));
    const [form = 'this form'] = Object.keys(validate).filter((key) => !/^(?:message|failureAction)/.test(key));
    return refuse(`${path}.validate`, `${form} has no equivalent`);
  };
  const { message, note } = convertMessage(validate.message, scope, `${path}.validate.message`);
  return {
    validations: [{ expression: renderBool(expression()), ...message }],
    notes: note === undefined ? [] : [note],
  };
}

type ForEach = NonNullable<NonNullable<RuleSpec['validate']>['foreach']>[number];

/** Every element must pass. */
function convertForEach(loop: ForEach, scope: ExpressionScope, path: string): Bool {
  const { list, pattern, anyPattern, deny, preconditions, context, foreach, elementScope } = loop;
  if (context?.length || foreach || anyPattern || elementScope === false || list === undefined)
    return refuse(path, 'a loop with context, anyPattern, elementScope or another loop is not converted');
  const places = convertListPlaces(list, scope, `${path}.list`);
  const conditions = places.map((place): Bool => {
    const element = elementPlace(place);
    const inside = { ...scope, element };
    const passed =
      pattern === undefined
        ? not(convertConditions(deny?.conditions, inside, `${path}.deny.conditions`))
        : passes(convertPattern(pattern, element, `${path}.pattern`, scope.touched));
    const applies =
      preconditions === undefined ? always : convertConditions(preconditions, inside, `${path}.preconditions`);
    const each = or([not(applies), passed]);
    return each.kind === 'constant'
      ? each
      : test(`${valueOr(place, '[]')}.all(${element.variable}, ${renderBool(each)})`);
  });
  return and(conditions);
}

function convertCel({ cel, message }: NonNullable<RuleSpec['validate']>, path: string): ConvertedValidation {
  const { expressions = [], variables, auditAnnotations, paramKind, paramRef } = cel ?? {};
  if (paramKind || paramRef) return refuse(path, 'params do not exist in a ValidatingPolicy');
  return {
    validations: expressions.map(({ expression, message: own, messageExpression, ...rest }) => ({
      expression,
      ...((own ?? message) ? { message: own ?? message ?? '' } : {}),
      ...(messageExpression ? { messageExpression } : {}),
      ...(rest.reason ? { reason: rest.reason } : {}),
    })),
    ...(variables?.length ? { variables } : {}),
    ...(auditAnnotations?.length ? { auditAnnotations } : {}),
    notes: [],
  };
}
