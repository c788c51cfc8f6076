export type Comparator = '==' | '!=' | '<' | '<=' | '>' | '>=';
export type ArithmeticOperator = '+' | '-' | '*' | '/' | '//' | '%';

/**
 * The syntax tree. Its shape follows the reference implementation exactly, because an unknown key becomes null in
 * some kinds of node and passes through others: `a.b[*]` is a sub-expression whose right side is a projection,
 * while `a.b[?c]` is a filter whose left side is a sub-expression.
 */
export type Node =
  | { readonly kind: 'field'; readonly name: string; readonly at: number }
  | { readonly kind: 'current' }
  | { readonly kind: 'literal'; readonly value: unknown }
  | { readonly kind: 'sub'; readonly left: Node; readonly right: Node }
  | { readonly kind: 'index'; readonly left: Node; readonly index: number }
  | { readonly kind: 'slice'; readonly left: Node; readonly bounds: SliceBounds; readonly at: number }
  | { readonly kind: 'projection'; readonly left: Node; readonly right: Node }
  | { readonly kind: 'values'; readonly left: Node; readonly right: Node }
  | { readonly kind: 'filter'; readonly left: Node; readonly condition: Node; readonly right: Node }
  | { readonly kind: 'flatten'; readonly left: Node }
  | { readonly kind: 'list'; readonly items: readonly Node[] }
  | { readonly kind: 'hash'; readonly entries: readonly HashEntry[] }
  | { readonly kind: 'compare'; readonly operator: Comparator; readonly left: Node; readonly right: Node }
  | { readonly kind: 'or' | 'and' | 'pipe'; readonly left: Node; readonly right: Node }
  | { readonly kind: 'not'; readonly operand: Node }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Node[]; readonly at: number }
  | { readonly kind: 'reference'; readonly body: Node; readonly at: number }
  // Only in the community's dialect:
  | { readonly kind: 'root' }
  | { readonly kind: 'variable'; readonly name: string; readonly at: number }
  | { readonly kind: 'let'; readonly bindings: readonly LetBinding[]; readonly body: Node }
  | { readonly kind: 'sign'; readonly operator: '+' | '-'; readonly operand: Node }
  | {
      readonly kind: 'arithmetic';
      readonly operator: ArithmeticOperator;
      readonly left: Node;
      readonly right: Node;
      readonly at: number;
    };

export interface HashEntry {
  readonly key: string;
  readonly value: Node;
}

export interface LetBinding {
  readonly name: string;
  readonly value: Node;
}

export interface SliceBounds {
  readonly start: number | undefined;
  readonly stop: number | undefined;
  readonly step: number | undefined;
}

export const current: Node = { kind: 'current' };

/** The nodes directly below, in the order they are written. */
export function childrenOf(node: Node): readonly Node[] {
  switch (node.kind) {
    case 'field':
    case 'current':
    case 'literal':
    case 'root':
    case 'variable':
      return [];
    case 'index':
    case 'slice':
    case 'flatten':
      return [node.left];
    case 'filter':
      return [node.left, node.condition, node.right];
    case 'list':
      return node.items;
    case 'hash':
      return node.entries.map((entry) => entry.value);
    case 'not':
    case 'sign':
      return [node.operand];
    case 'let':
      return [...node.bindings.map((binding) => binding.value), node.body];
    case 'call':
      return node.args;
    case 'reference':
      return [node.body];
    default:
      return [node.left, node.right];
  }
}

/** The variables that a tree takes from outside. */
export function freeVariables(node: Node, bound: ReadonlySet<string> = new Set()): readonly string[] {
  if (node.kind === 'variable') return bound.has(node.name) ? [] : [node.name];
  if (node.kind !== 'let') return childrenOf(node).flatMap((child) => freeVariables(child, bound));
  const inside = new Set([...bound, ...node.bindings.map(({ name }) => name)]);
  return [...node.bindings.flatMap(({ value }) => freeVariables(value, bound)), ...freeVariables(node.body, inside)];
}
