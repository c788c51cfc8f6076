import type { RuleSpec } from '../policy/index.ts';
import { renderBool } from './bool.ts';
import { hasWildcard, wildcardTest } from './cel-text.ts';
import { convertConditions } from './conditions.ts';
import { commonSchema, resourceRules, type ServedKind, servedKinds } from './kinds.ts';
import { refuse } from './not-convertible.ts';
import { fieldPlace, rootPlace } from './place.ts';
import { type ConvertedSelection, convertSelection } from './policy-parts.ts';
import { TouchedPlaces } from './touched.ts';
import { writeNested } from './values.ts';

type Targets = NonNullable<NonNullable<RuleSpec['mutate']>['targets']>;

interface ConvertedTargets {
  /** Its scope is that of the target; the trigger is `request.object`. */
  readonly selection: ConvertedSelection;
  readonly triggerTouched: TouchedPlaces;
  readonly kind: ServedKind;
  readonly constraints: object;
  readonly conditions: readonly { readonly name: string; readonly expression: string }[];
}

/** The objects that a rule changes instead of the one that triggers it; throws NotConvertible. */
export function convertTargets(targets: Targets, rule: RuleSpec, path: string, isOrdered: boolean): ConvertedTargets {
  const at = `${path}.mutate.targets`;
  const [target, ...others] = targets;
  if (target === undefined || others.length > 0) return refuse(at, 'write one rule for each target');
  const { apiVersion = '', kind = '', name, namespace, selector, uid, context, preconditions } = target;
  if (uid || context?.length) return refuse(`${at}[0]`, 'uid and context of targets are not converted');
  if (`${apiVersion}${kind}`.includes('{{')) return refuse(`${at}[0].kind`, 'a kind with variables');
  const [served, ...more] = servedKinds(`${apiVersion}/${kind}`, `${at}[0].kind`);
  if (served === undefined || more.length > 0) return refuse(`${at}[0].kind`, 'a kind of several groups');
  const touched = new TouchedPlaces();
  const schema = commonSchema([served]);
  const inRule = convertSelection(rule, path, { isOrdered });
  const selection = {
    ...inRule,
    touched,
    scope: { ...inRule.scope, touched, trigger: { touched: inRule.touched }, targetSchema: schema },
  };
  const metadata = fieldPlace(rootPlace('object', schema), 'metadata');
  const condition = (field: string, text: string | undefined) => {
    if (!text || text === '*') return [];
    if (text.includes('{{') && hasWildcard(text)) return refuse(`${at}[0].${field}`, 'a wildcard beside a variable');
    touched.add(fieldPlace(metadata, field), ...(text.includes('{{') ? [] : [text]));
    const own = `object.metadata.${field}`;
    const expression = text.includes('{{')
      ? `${own} == ${writeNested(text, selection.scope, `${at}[0].${field}`)}`
      : wildcardTest(own, text);
    return [{ name: field, expression }];
  };
  const matchLabels = selector?.matchLabels ?? {};
  if (
    Object.entries(matchLabels)
      .flat()
      .some((text) => hasWildcard(text) || text.includes('{{'))
  )
    return refuse(`${at}[0].selector`, 'wildcards and variables in a selector');
  for (const [key, value] of Object.entries(matchLabels))
    touched.add(fieldPlace(fieldPlace(metadata, 'labels'), key), value);
  const conditions = [...condition('name', name), ...condition('namespace', namespace)];
  if (preconditions !== undefined) {
    const expression = renderBool(convertConditions(preconditions, selection.scope, `${at}[0].preconditions`));
    if (expression !== 'true') conditions.push({ name: 'preconditions', expression });
  }
  return {
    selection,
    triggerTouched: inRule.touched,
    kind: served,
    conditions,
    constraints: {
      ...(selector ? { objectSelector: selector } : {}),
      resourceRules: resourceRules([served], ['CREATE', 'UPDATE']),
    },
  };
}
