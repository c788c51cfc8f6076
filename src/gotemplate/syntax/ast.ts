import { quote } from '../format/quote.ts';
import type { Complex } from '../values.ts';

export interface NumberNode {
  readonly kind: 'number';
  readonly pos: number;
  readonly text: string;
  /** The value as every type that can hold it, as Go's untyped constants. */
  readonly int?: number | bigint;
  readonly uint?: number | bigint;
  readonly float?: number;
  readonly complex?: Complex;
}
interface StringNode {
  readonly kind: 'string';
  readonly pos: number;
  readonly quoted: string;
  readonly text: string;
}
interface BoolNode {
  readonly kind: 'bool';
  readonly pos: number;
  readonly value: boolean;
}
export interface FieldNode {
  readonly kind: 'field';
  readonly pos: number;
  readonly names: readonly string[];
}
export interface VariableNode {
  readonly kind: 'variable';
  readonly pos: number;
  /** The variable with its dollar, then fields. */
  readonly names: readonly string[];
}
export interface ChainNode {
  readonly kind: 'chain';
  readonly pos: number;
  readonly node: Operand;
  readonly names: readonly string[];
}
export interface IdentifierNode {
  readonly kind: 'identifier';
  readonly pos: number;
  readonly name: string;
}
interface DotNode {
  readonly kind: 'dot';
  readonly pos: number;
}
interface NilNode {
  readonly kind: 'nil';
  readonly pos: number;
}
export interface PipeNode {
  readonly kind: 'pipe';
  readonly pos: number;
  readonly isAssign: boolean;
  readonly declarations: readonly VariableNode[];
  readonly commands: readonly CommandNode[];
}
export interface CommandNode {
  readonly kind: 'command';
  readonly pos: number;
  readonly args: readonly Operand[];
}
export type Operand =
  | NumberNode
  | StringNode
  | BoolNode
  | FieldNode
  | VariableNode
  | ChainNode
  | IdentifierNode
  | DotNode
  | NilNode
  | PipeNode;

interface TextNode {
  readonly kind: 'text';
  readonly pos: number;
  readonly text: string;
}
interface ActionNode {
  readonly kind: 'action';
  readonly pos: number;
  readonly pipe: PipeNode;
}
export interface BranchNode {
  readonly kind: 'if' | 'with' | 'range';
  readonly pos: number;
  readonly pipe: PipeNode;
  readonly list: ListNode;
  readonly elseList: ListNode | undefined;
}
interface JumpNode {
  readonly kind: 'break' | 'continue';
  readonly pos: number;
}
export interface TemplateNode {
  readonly kind: 'template';
  readonly pos: number;
  readonly name: string;
  readonly pipe: PipeNode | undefined;
}
export interface ListNode {
  readonly kind: 'list';
  readonly pos: number;
  readonly nodes: readonly Statement[];
}
export type Statement = TextNode | ActionNode | BranchNode | JumpNode | TemplateNode;
export type Node = Statement | ListNode | CommandNode | Operand;

/** One named template of a text. */
export interface Definition {
  readonly name: string;
  readonly root: ListNode;
}

/** A node as Go prints it in errors: spaces and comments normalised. */
export function renderNode(node: Node): string {
  switch (node.kind) {
    case 'number':
    case 'text':
      return node.text;
    case 'string':
      return node.quoted;
    case 'bool':
      return `${node.value}`;
    case 'field':
      return node.names.map((name) => `.${name}`).join('');
    case 'variable':
      return node.names.join('.');
    case 'chain':
      return `${inParens(node.node)}.${node.names.join('.')}`;
    case 'identifier':
      return node.name;
    case 'dot':
      return '.';
    case 'nil':
      return 'nil';
    case 'pipe': {
      const variables = node.declarations.map(renderNode).join(', ');
      const declared = variables === '' ? '' : `${variables} ${node.isAssign ? '=' : ':='} `;
      return declared + node.commands.map(renderNode).join(' | ');
    }
    case 'command':
      return node.args.map(inParens).join(' ');
    case 'action':
      return `{{${renderNode(node.pipe)}}}`;
    case 'break':
    case 'continue':
      return `{{${node.kind}}}`;
    case 'template':
      return `{{template ${quote(node.name)}${node.pipe ? ` ${renderNode(node.pipe)}` : ''}}}`;
    case 'list':
      return node.nodes.map(renderNode).join('');
    default: {
      const otherwise = node.elseList ? `{{else}}${renderNode(node.elseList)}` : '';
      return `{{${node.kind} ${renderNode(node.pipe)}}}${renderNode(node.list)}${otherwise}{{end}}`;
    }
  }
}

const inParens = (node: Operand) => (node.kind === 'pipe' ? `(${renderNode(node)})` : renderNode(node));
