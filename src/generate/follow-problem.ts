import type { KindFailure, ResourceType } from '../kube/index.ts';
import type { PolicyProblem } from './generate-recorder.ts';

const maxNamed = 3;

/** The problem of a policy whose kinds cannot be listed or watched; undefined when there are none. */
export function followProblem(
  failing: readonly { readonly type: ResourceType; readonly failure: KindFailure }[],
): PolicyProblem | undefined {
  const names = [...new Set(failing.map(({ type }) => nameOf(type)))].sort();
  if (names.length === 0) return undefined;
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '';
  const what = `${names.slice(0, maxNamed).join(', ')}${more}`;
  const other = failing.find(({ failure }) => !failure.isForbidden);
  return other
    ? { reason: 'GenerateFailed', message: `cannot list or watch ${what}: ${other.failure.message}` }
    : {
        reason: 'MissingPermission',
        message: `missing permission: cannot list or watch ${what}; allow it to Supercargo's service account`,
      };
}

const nameOf = ({ resource, group }: ResourceType): string => (group === '' ? resource : `${resource}.${group}`);
