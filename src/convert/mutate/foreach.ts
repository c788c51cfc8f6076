import { isJsonObject } from '../../base/index.ts';
import { parseAnchor, type RuleSpec } from '../../policy/index.ts';
import { always, and } from '../bool.ts';
import { convertConditions } from '../conditions.ts';
import { convertListPlaces, type ExpressionScope, namesFields } from '../expression.ts';
import { refuse } from '../not-convertible.ts';
import { fieldPlace, type Place } from '../place.ts';
import type { Edit } from './edit.ts';
import { convertOperations, type LoopPlace, loopOver, type PatchStep } from './json6902.ts';
import { convertMerge } from './merge.ts';

type Loop = NonNullable<NonNullable<RuleSpec['mutate']>['foreach']>[number];

interface LoopScope {
  readonly root: Place;
  readonly scope: ExpressionScope;
  readonly path: string;
}

/** What a loop changes, with the scope of its values; throws NotConvertible. */
export function convertLoop(
  loop: Loop,
  { root, scope, path }: LoopScope,
): { readonly steps: readonly PatchStep[]; readonly scope: ExpressionScope } {
  const { list, preconditions, context, foreach, patchStrategicMerge, patchesJson6902, order } = loop;
  if (context?.length || foreach || list === undefined)
    return refuse(path, 'a loop with context or with another loop is not converted');
  const places = convertListPlaces(list, scope, `${path}.list`);
  const isMerge = patchStrategicMerge !== undefined && patchStrategicMerge !== null;
  const found = isMerge ? patchedList(places, patchStrategicMerge) : places.length === 1 ? places[0] : undefined;
  if (found === undefined) return refuse(path, 'elements of one list are visited and those of another are changed');
  const over = { ...loopOver(found), isRequired: namesFields(list, `${path}.list`) };
  const inside: ExpressionScope = { ...scope, element: over.element };
  const condition =
    preconditions === undefined ? always : convertConditions(preconditions, inside, `${path}.preconditions`);
  if (isMerge) {
    const edit = convertLoopMerge(
      patchStrategicMerge,
      { root, scope: inside, path: `${path}.patchStrategicMerge` },
      { ...over, condition },
    );
    return { steps: [{ edit }], scope: inside };
  }
  const steps = convertOperations(String(patchesJson6902 ?? ''), root, inside, `${path}.patchesJson6902`, {
    ...over,
    condition,
    isDescending: order === 'Descending',
  });
  return { steps, scope: inside };
}

/** Of several lists the one that the patch has: elements of the others are not found in it by their name. */
function patchedList(places: readonly Place[], patch: unknown): Place | undefined {
  return places.find(({ steps }) =>
    Array.isArray(steps.reduce((at: unknown, step) => (isJsonObject(at) ? at[String(step)] : undefined), patch)),
  );
}

/** A merge into the element that is visited, by its name. */
function convertLoopMerge(patch: unknown, { root, scope, path }: LoopScope, over: LoopPlace): Edit {
  const { element } = over;
  const steps = element.steps.filter((step): step is string => typeof step === 'string');
  const convert = (at: unknown, left: readonly string[], place: Place, where: string): Edit => {
    const [key, ...rest] = left;
    if (key === undefined) return convertElement(at, { root: element, scope, path: where }, over);
    if (!isJsonObject(at) || Object.keys(at).length !== 1 || !(key in at))
      return refuse(where, 'the patch of a loop changes more than its element');
    const edit = convert(at[key], rest, fieldPlace(place, key), `${where}.${key}`);
    return { kind: 'map', fields: new Map([[key, edit]]), ifAbsent: false };
  };
  return convert(patch, steps, root, path);
}

function convertElement(list: unknown, { scope, path }: LoopScope, over: LoopPlace): Edit {
  const { element, condition, isRequired } = over;
  const [one, ...others] = Array.isArray(list) ? list : [];
  if (!isJsonObject(one) || others.length > 0) return refuse(path, 'one element is expected');
  const key = 'name';
  const named = Object.entries(one).find(([raw]) => (parseAnchor(raw)?.key ?? raw) === key);
  if (named === undefined || !/^\{\{-?\s*element\.name\s*\}\}$/.test(String(named[1])))
    return refuse(path, 'the patch of a loop names another element than the one that is visited');
  const rest = Object.fromEntries(Object.entries(one).filter((entry) => entry[0] !== named[0]));
  scope.touched.add(fieldPlace(element, key));
  const merged = convertMerge(rest, element, scope, `${path}[0]`);
  if (merged.edit?.kind !== 'map') return refuse(path, 'nothing is changed in the elements');
  return {
    kind: 'each',
    element,
    condition: and([condition, merged.condition]),
    edit: merged.edit,
    key,
    isDescending: false,
    isRequired,
  };
}
