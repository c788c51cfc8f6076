/** The type of an anchor. */
type AnchorKind = 'condition' | 'global' | 'negation' | 'add' | 'equality' | 'existence';

export interface Anchor {
  readonly kind: AnchorKind;
  /** The field name without the anchor. */
  readonly key: string;
}

const kinds: Readonly<Record<string, AnchorKind>> = {
  '': 'condition',
  '<': 'global',
  X: 'negation',
  '+': 'add',
  '=': 'equality',
  '^': 'existence',
};

/** Parses `=(name)` and the other anchors; undefined for a plain key. */
export function parseAnchor(text: string): Anchor | undefined {
  if (!text.includes('(')) return undefined;
  const [, modifier = '', key] = /^([+<=X^]?)\((.+)\)$/.exec(text.trim()) ?? [];
  return key === undefined ? undefined : { kind: kinds[modifier]!, key };
}

/** Writes the anchor around another key. */
export function renderAnchor(kind: AnchorKind, key: string): string {
  const modifier = Object.keys(kinds).find((candidate) => kinds[candidate] === kind);
  return `${modifier}(${key})`;
}
