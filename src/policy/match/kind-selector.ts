import { matchesWildcard } from '../../jmespath/index.ts';
import type { GroupVersionKind } from '../../object/index.ts';

/** A kind as policies write it: `Pod`, `apps/v1/Deployment`, `Pod/status`, `*`. Each part may hold wildcards. */
interface KindSelector {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly subresource: string;
}

const versionForm = /^(v\d((alpha|beta)\d)?|\*)$/;

/** Undefined when there are too many parts. */
export function parseKindSelector(text: string): KindSelector | undefined {
  const slashed = text.split('/');
  const parts = [...slashed.slice(0, -1), ...slashed.at(-1)!.split('.')];
  const any = '*';
  const [a = '', b = '', c = '', d = ''] = parts;
  switch (parts.length) {
    case 1:
      return { group: any, version: any, kind: a, subresource: '' };
    case 2:
      if (a === any && b === any) return { group: any, version: any, kind: any, subresource: any };
      if (a === any && b === b.toLowerCase()) return { group: any, version: any, kind: a, subresource: b };
      if (versionForm.test(a)) return { group: any, version: a, kind: b, subresource: '' };
      return { group: any, version: any, kind: a, subresource: b };
    case 3:
      if (versionForm.test(a)) return { group: any, version: a, kind: b, subresource: c };
      return { group: a, version: b, kind: c, subresource: '' };
    case 4:
      return { group: a, version: b, kind: c, subresource: d };
    default:
      return undefined;
  }
}

export type KindMatcher = (kind: GroupVersionKind, subresource: string) => boolean;

export function compileKinds(kinds: readonly string[]): KindMatcher {
  const matchers = kinds.map(parseKindSelector).flatMap((selector) => (selector ? [compileSelector(selector)] : []));
  if (matchers.length === 1) return matchers[0]!;
  return (kind, subresource) => matchers.some((matches) => matches(kind, subresource));
}

function compileSelector(selector: KindSelector): KindMatcher {
  const group = compileWildcard(selector.group);
  const version = compileWildcard(selector.version);
  const name = compileWildcard(selector.kind);
  const sub = compileWildcard(selector.subresource);
  const isPlain = selector.group === '*' && selector.version === '*' && selector.subresource === '';
  if (isPlain)
    return (kind, subresource) => name(kind.kind) && (subresource === '' || isEphemeralContainers(kind, subresource));
  return (kind, subresource) => {
    if (!name(kind.kind) || !group(kind.group) || !version(kind.version)) return false;
    return sub(subresource) || isEphemeralContainers(kind, subresource);
  };
}

/** As in Kyverno, policies on pods match ephemeral containers too. */
function isEphemeralContainers({ group, version, kind }: GroupVersionKind, subresource: string): boolean {
  return subresource === 'ephemeralcontainers' && kind === 'Pod' && version === 'v1' && group === '';
}

/** Most patterns are plain names: compare those without wildcard matching. */
export function compileWildcard(pattern: string): (text: string) => boolean {
  if (pattern === '*') return () => true;
  if (!pattern.includes('*') && !pattern.includes('?')) return (text) => text === pattern;
  return (text) => matchesWildcard(pattern, text);
}
