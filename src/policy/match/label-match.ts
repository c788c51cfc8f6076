import { type LabelSelector, labelSelectorOf } from '../../object/index.ts';
import { compileWildcard } from './kind-selector.ts';

type Labels = Readonly<Record<string, string>> | undefined;

const hasWildcard = (text: string) => text.includes('*') || text.includes('?');

/** A label selector whose keys and values may contain wildcards, unlike those of Kubernetes. */
export function compileSelector(selector: LabelSelector): (labels: Labels) => boolean {
  const entries = Object.entries(selector.matchLabels ?? {});
  const wild = entries.filter(([key, value]) => hasWildcard(key) || hasWildcard(value));
  const plain = Object.fromEntries(entries.filter(([key, value]) => !hasWildcard(key) && !hasWildcard(value)));
  const matchesPlain = labelSelectorOf({ ...selector, matchLabels: plain });
  const matchers = wild.map(([key, value]) => ({ key: compileWildcard(key), value: compileWildcard(value) }));
  return (labels) => {
    if (!matchesPlain(labels)) return false;
    return matchers.every(({ key, value }) => Object.entries(labels ?? {}).some(([k, v]) => key(k) && value(v)));
  };
}

/** Every expected annotation matches one of the object; keys and values may contain wildcards. */
export function compileAnnotations(expected: Readonly<Record<string, string>>): (annotations: Labels) => boolean {
  const matchers = Object.entries(expected).map(([key, value]) => ({
    key: compileWildcard(key),
    value: compileWildcard(value),
  }));
  return (annotations) => {
    const actual = Object.entries(annotations ?? {});
    return matchers.every(({ key, value }) => actual.some(([k, v]) => key(k) && value(v)));
  };
}
