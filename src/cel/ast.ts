/** The tree of an expression after macros are expanded. Ids are unique; `offset` is in UTF-16 units of the source. */
export type Node =
  | LiteralNode
  | IdentNode
  | SelectNode
  | CallNode
  | ListNode
  | MapNode
  | StructNode
  | ComprehensionNode;

interface Base {
  readonly id: number;
  readonly offset: number;
}

interface LiteralNode extends Base {
  readonly kind: 'literal';
  /** A CEL value: null, boolean, string, or what `values` makes of numbers and bytes. */
  readonly value: unknown;
}

export interface IdentNode extends Base {
  readonly kind: 'ident';
  readonly name: string;
}

export interface SelectNode extends Base {
  readonly kind: 'select';
  readonly operand: Node;
  readonly field: string;
  /** `has(operand.field)` */
  readonly isTest: boolean;
}

export interface CallNode extends Base {
  readonly kind: 'call';
  readonly name: string;
  readonly target?: Node | undefined;
  readonly args: readonly Node[];
}

export interface ListNode extends Base {
  readonly kind: 'list';
  readonly items: readonly { readonly value: Node; readonly isOptional: boolean }[];
}

export interface MapNode extends Base {
  readonly kind: 'map';
  readonly entries: readonly { readonly key: Node; readonly value: Node; readonly isOptional: boolean }[];
}

export interface StructNode extends Base {
  readonly kind: 'struct';
  readonly type: string;
  readonly fields: readonly {
    readonly id: number;
    readonly offset: number;
    readonly name: string;
    readonly value: Node;
    readonly isOptional: boolean;
  }[];
}

export interface ComprehensionNode extends Base {
  readonly kind: 'comprehension';
  readonly range: Node;
  readonly variable: string;
  readonly variable2: string | undefined;
  readonly accumulator: string;
  readonly init: Node;
  readonly condition: Node;
  readonly step: Node;
  readonly result: Node;
  /** The same as the macro meant it: what is evaluated. The parts above are what is checked. */
  readonly form: ComprehensionForm;
}

export type ComprehensionForm =
  | { readonly kind: 'all' | 'exists' | 'one'; readonly predicate: Node }
  /** Adds `item` to a list. */
  | { readonly kind: 'append'; readonly filter: Node | undefined; readonly item: Node }
  /** Adds an entry to a map: a key with its value, or all entries of a map without a key. */
  | { readonly kind: 'insert'; readonly filter: Node | undefined; readonly key: Node | undefined; readonly item: Node }
  /** A variable for the result. */
  | { readonly kind: 'bind' };

/** Names of the operators as functions. */
export const operators = {
  conditional: '_?_:_',
  and: '_&&_',
  or: '_||_',
  not: '!_',
  equals: '_==_',
  notEquals: '_!=_',
  less: '_<_',
  lessEquals: '_<=_',
  greater: '_>_',
  greaterEquals: '_>=_',
  in: '@in',
  add: '_+_',
  subtract: '_-_',
  multiply: '_*_',
  divide: '_/_',
  modulo: '_%_',
  negate: '-_',
  index: '_[_]',
  optIndex: '_[?_]',
  optSelect: '_?._',
  notStrictlyFalse: '@not_strictly_false',
} as const;

export const accumulatorName = '@result';

/** Every node below, itself first. */
export function* walk(node: Node): Generator<Node> {
  yield node;
  for (const child of childrenOf(node)) yield* walk(child);
}

export function childrenOf(node: Node): readonly Node[] {
  switch (node.kind) {
    case 'literal':
    case 'ident':
      return [];
    case 'select':
      return [node.operand];
    case 'call':
      return node.target ? [node.target, ...node.args] : node.args;
    case 'list':
      return node.items.map(({ value }) => value);
    case 'map':
      return node.entries.flatMap(({ key, value }) => [key, value]);
    case 'struct':
      return node.fields.map(({ value }) => value);
    case 'comprehension':
      return [node.range, node.init, node.condition, node.step, node.result];
  }
}
