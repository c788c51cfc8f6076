import type { MatchBlock } from '../types.ts';

const version = /^(v\d((alpha|beta)\d)?|\*)$/;

/** The bare kind of a kind selector: `apps/v1/Deployment`, `v1/Pod`, `Pod.status` and `Pod/exec` without the rest. */
export function kindOf(selector: string): string {
  const parts = selector.split('/');
  const [first = '', second = '', third = ''] = parts;
  if (parts.length === 1) return withoutSubresource(first);
  if (parts.length === 2) {
    if (first === '*' && second === '*') return '*';
    return version.test(first) ? withoutSubresource(second) : first;
  }
  if (parts.length === 3) return version.test(first) ? second : withoutSubresource(third);
  return parts.length === 4 ? third : '';
}

/** Whether one of the kind selectors selects `kind` by its bare name. */
export function containsKind(selectors: readonly string[], kind: string): boolean {
  return selectors.some((selector) => kindOf(selector) === kind);
}

/** All kind selectors a match or exclude block names, in whichever form it is written. */
export function kindsOf(block: MatchBlock | undefined): readonly string[] {
  if (block === undefined || block === null) return [];
  return [block, ...(block.all ?? []), ...(block.any ?? [])].flatMap((filter) => filter?.resources?.kinds ?? []);
}

/** Only the first dot separates a subresource: kinds never contain one. */
function withoutSubresource(kind: string): string {
  const dot = kind.indexOf('.');
  return dot < 0 ? kind : kind.slice(0, dot);
}
