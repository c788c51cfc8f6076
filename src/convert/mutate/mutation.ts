import type { RuleSpec } from '../../policy/index.ts';
import { always, and, type Bool } from '../bool.ts';
import type { ExpressionScope } from '../expression.ts';
import { refuse } from '../not-convertible.ts';
import { type Place, rootPlace } from '../place.ts';
import { writeConfiguration } from './apply-configuration.ts';
import type { WrittenMutation } from './edit.ts';
import { convertLoop } from './foreach.ts';
import { writeJsonPatches } from './json-patch.ts';
import { convertOperations, type PatchStep } from './json6902.ts';
import { convertMerge } from './merge.ts';

export type MutationForm = 'ApplyConfiguration' | 'JSONPatch';

interface ConvertedMutation {
  readonly mutations: readonly WrittenMutation[];
  /** Under which the patch applies at all. */
  readonly condition: Bool;
}

/** The part of a rule that changes the object, in one form; throws NotConvertible. */
export function convertMutation(
  mutate: NonNullable<RuleSpec['mutate']>,
  scope: ExpressionScope,
  form: MutationForm,
  path: string,
): ConvertedMutation {
  const root = rootPlace('object', scope.schema);
  const { patchStrategicMerge, patchesJson6902, foreach } = mutate;
  const write = (steps: readonly PatchStep[], inside: ExpressionScope, at: string) =>
    steps.flatMap((step) => writeStep(step, { root, scope: inside, form, path: at }));
  if (foreach) {
    const mutations = foreach.flatMap((loop, i) => {
      const at = `${path}.foreach[${i}]`;
      const { steps, scope: inside } = convertLoop(loop, { root, scope, path: at });
      return write(steps, inside, at);
    });
    return { mutations, condition: always };
  }
  if (patchStrategicMerge !== undefined && patchStrategicMerge !== null) {
    const at = `${path}.patchStrategicMerge`;
    const { edit, condition } = convertMerge(patchStrategicMerge, root, scope, at);
    if (edit === undefined || (edit.kind === 'map' && edit.fields.size === 0)) return refuse(at, 'nothing is changed');
    return { mutations: write([{ edit }], scope, at), condition: and([condition]) };
  }
  const at = `${path}.patchesJson6902`;
  return { mutations: write(convertOperations(patchesJson6902 ?? '', root, scope, at), scope, at), condition: always };
}

interface Target {
  readonly root: Place;
  readonly scope: ExpressionScope;
  readonly form: MutationForm;
  readonly path: string;
}

function writeStep(step: PatchStep, { root, scope, form, path }: Target): readonly WrittenMutation[] {
  if ('edit' in step)
    return form === 'JSONPatch'
      ? writeJsonPatches(step.edit, root, scope)
      : writeConfiguration(step.edit, root, scope, path);
  if (form !== 'JSONPatch') return refuse(path, 'only a JSON patch can do this');
  return [{ patchType: 'JSONPatch', jsonPatch: { expression: step.operation } }];
}
