/** A condition as a tree, so that it can be negated and written with few parentheses. */
export type Bool =
  | { readonly kind: 'constant'; readonly value: boolean }
  /** A comparison or call, with its opposite where that has a form of its own. */
  | { readonly kind: 'test'; readonly text: string; readonly opposite?: string }
  | { readonly kind: 'not'; readonly operand: Bool }
  | { readonly kind: 'and' | 'or'; readonly operands: readonly Bool[] };

export const always: Bool = { kind: 'constant', value: true };
export const never: Bool = { kind: 'constant', value: false };

export const test = (text: string, opposite?: string): Bool => ({
  kind: 'test',
  text,
  ...(opposite === undefined ? {} : { opposite }),
});

/** The test of a text that is one comparison or one call. */
export function testOf(text: string): Bool {
  if (text.includes(' == ')) return test(text, text.replace(' == ', ' != '));
  if (text.includes(' != ')) return test(text, text.replace(' != ', ' == '));
  return test(text, `!${text}`);
}

export const and = (operands: readonly Bool[]): Bool => join('and', operands);
export const or = (operands: readonly Bool[]): Bool => join('or', operands);

export function not(bool: Bool): Bool {
  switch (bool.kind) {
    case 'constant':
      return bool.value ? never : always;
    case 'not':
      return bool.operand;
    case 'test':
      return bool.opposite === undefined ? { kind: 'not', operand: bool } : test(bool.opposite, bool.text);
    default:
      return join(bool.kind === 'and' ? 'or' : 'and', bool.operands.map(not));
  }
}

function join(kind: 'and' | 'or', operands: readonly Bool[]): Bool {
  const neutral = kind === 'and';
  const flat = operands
    .flatMap((one) => (one.kind === kind ? one.operands : [one]))
    .filter((one) => one.kind !== 'constant' || one.value !== neutral);
  if (flat.some((one) => one.kind === 'constant')) return neutral ? never : always;
  if (flat.length === 0) return neutral ? always : never;
  return flat.length === 1 ? (flat[0] as Bool) : { kind, operands: flat };
}

export function renderBool(bool: Bool): string {
  switch (bool.kind) {
    case 'constant':
      return String(bool.value);
    case 'test':
      return bool.text;
    case 'not':
      return negated(renderBool(bool.operand));
    case 'and':
    case 'or': {
      const parts = bool.operands.map((one) => {
        const text = renderBool(one);
        return one.kind === 'or' || one.kind === 'and' ? `(${text})` : text;
      });
      return parts.join(bool.kind === 'and' ? ' && ' : ' || ');
    }
  }
}

/** Without parentheses for a call alone. */
const negated = (text: string) => (/^[\w.?]+\('[^' ]*'\)$/.test(text) ? `!${text}` : `!(${text})`);
