import { isJsonObject } from '../base/index.ts';
import type { KubeObject } from '../object/index.ts';
import type { ObjectPolicyResults, ScannedObject } from './evaluate-object.ts';
import type { ResultContent } from './result.ts';

type Evaluate = (subject: ScannedObject) => Promise<readonly ObjectPolicyResults[]>;

/** The Pod as its controller created it; undefined when it has no ephemeral container. */
function withoutEphemeral(object: KubeObject): KubeObject | undefined {
  const spec = object['spec'];
  if (object.kind !== 'Pod' || !isJsonObject(spec)) return undefined;
  const { ephemeralContainers, ...rest } = spec;
  const has = Array.isArray(ephemeralContainers) && ephemeralContainers.length > 0;
  return has ? ({ ...object, spec: rest } as KubeObject) : undefined;
}

/**
 * Adds the results that the ephemeral containers of a Pod cause. Its controller has no such containers, so these
 * results cannot be reported there; all others already are.
 */
export async function addEphemeral(
  subject: ScannedObject,
  policyResults: readonly ObjectPolicyResults[],
  evaluate: Evaluate,
): Promise<readonly ObjectPolicyResults[]> {
  const object = withoutEphemeral(subject.object);
  if (!object || subject.controllers.length === 0) return policyResults;
  const whole = await evaluate({ ...subject, controllers: [] });
  const before = await evaluate({ ...subject, object, controllers: [] });
  const idOf = ({ head, result, message }: ResultContent) => `${head.rule} ${result} ${message}`;
  return policyResults.map(({ program, contents }, i) => {
    const ruleOf = ({ head }: ResultContent) => head.rule;
    const own = new Set(contents.map(ruleOf));
    const same = new Set(before[i]?.contents.map(idOf));
    const added = whole[i]?.contents.filter((content) => !own.has(ruleOf(content)) && !same.has(idOf(content))) ?? [];
    return { program, contents: [...contents, ...added] };
  });
}
