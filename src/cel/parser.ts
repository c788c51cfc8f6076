import { type Node, operators } from './ast.ts';
import { NodeFactory } from './factory.ts';
import { tokenize } from './lexer.ts';
import { maxExpressionSize, maxNodes, maxRecursion } from './limits.ts';
import { type Macros, macroKey } from './macros.ts';
import { parsePrimary } from './parse-primary.ts';
import type { Source } from './source.ts';
import { expressionStart, startsExpression, type Token } from './token.ts';

/** Ends the parsing of an expression whose first mistake has been reported. */
class SyntaxStop extends Error {}

/** Where nodes are in the source, by id; what macros make up is nowhere. */
export type Ranges = Map<number, { readonly start: number; readonly end: number }>;

/** Parses an expression and expands its macros; throws CelCompileError with the mistakes. */
export function parse(source: Source, macros: Macros, ranges?: Ranges): Node {
  const size = source.text.length > maxExpressionSize ? [...source.text].length : 0;
  if (size > maxExpressionSize) {
    source.report(-1, `expression code point size exceeds limit: size: ${size}, limit ${maxExpressionSize}`);
    throw source.error('cel-syntax');
  }
  const parser = new Parser(source, macros, ranges);
  let node: Node | undefined;
  try {
    node = parser.parse();
  } catch (thrown) {
    if (!(thrown instanceof SyntaxStop)) throw thrown;
  }
  if (node === undefined || source.hasIssues) throw source.error('cel-syntax');
  return node;
}

const relations: ReadonlyMap<string, string> = new Map([
  ['<', operators.less],
  ['<=', operators.lessEquals],
  ['>=', operators.greaterEquals],
  ['>', operators.greater],
  ['==', operators.equals],
  ['!=', operators.notEquals],
  ['in', operators.in],
]);
const sums: ReadonlyMap<string, string> = new Map([
  ['+', operators.add],
  ['-', operators.subtract],
]);
const products: ReadonlyMap<string, string> = new Map([
  ['*', operators.multiply],
  ['/', operators.divide],
  ['%', operators.modulo],
]);

export class Parser {
  readonly make = new NodeFactory();
  private readonly tokens: readonly Token[];
  private at = 0;
  /** Levels of expressions in brackets, arguments and branches. */
  private nesting = 0;
  /** Operators and selections in each other, by the id of a node; absent for none. */
  private readonly heights = new Map<number, number>();

  constructor(
    private readonly source: Source,
    private readonly macros: Macros,
    private readonly ranges?: Ranges,
  ) {
    this.tokens = tokenize(source.text, (offset, message) => source.report(offset, message));
  }

  parse(): Node {
    const node = this.expression();
    if (this.token.kind !== 'end') this.unexpected('<EOF>');
    return node;
  }

  get token(): Token {
    return this.tokens[this.at] as Token;
  }

  peek(ahead: number): Token {
    return (this.tokens[this.at + ahead] ?? this.tokens.at(-1)) as Token;
  }

  next(): Token {
    return this.tokens[this.at++] as Token;
  }

  isSymbol(text: string): boolean {
    return this.token.kind === 'symbol' && this.token.text === text;
  }

  /** Takes the symbol if it is next. */
  take(text: string): Token | undefined {
    return this.isSymbol(text) ? this.next() : undefined;
  }

  expect(text: string): Token {
    return this.take(text) ?? this.unexpected(`'${text}'`);
  }

  unexpected(expected: string): never {
    const { text, offset, kind } = this.token;
    // One token too many, if what is expected comes behind it.
    const after = this.peek(1);
    const isExtra =
      kind !== 'end' &&
      (expected === '<EOF>' ? after.kind === 'end' : expected === expressionStart && startsExpression(after));
    const what = isExtra ? 'extraneous' : 'mismatched';
    this.source.report(offset, `Syntax error: ${what} input '${text}' expecting ${expected}`);
    throw new SyntaxStop();
  }

  /** What comes behind a dot is no field: the grammar's own words tell it with the dot, but for values that are names. */
  private noField(dot: number, isOptional: boolean): never {
    const { text, offset, kind } = this.token;
    if (isOptional) {
      const message = `Syntax error: mismatched input '${text}' expecting {IDENTIFIER, ESC_IDENTIFIER}`;
      this.source.report(offset, message);
      this.source.report(offset, 'unsupported ident kind');
      throw new SyntaxStop();
    }
    if (kind === 'symbol' && /^(?:true|false|null)$/.test(text)) this.unexpected('IDENTIFIER');
    const shown = kind === 'end' ? '.' : this.source.text.slice(dot, offset) + text;
    this.source.report(offset, `Syntax error: no viable alternative at input '${shown}'`);
    throw new SyntaxStop();
  }

  fail(offset: number, message: string): Node {
    this.source.report(offset, message);
    // What is wrong already has no value: macros around it find no further mistake in it.
    return this.make.literal(Math.max(offset, 0), undefined);
  }

  expression(): Node {
    const start = this.token.offset;
    if (++this.nesting > maxRecursion) this.tooDeep(`expression recursion limit exceeded: ${maxRecursion}`);
    const condition = this.logic('||', operators.or, () => this.logic('&&', operators.and, () => this.relation()));
    const mark = this.take('?');
    if (!mark) {
      this.nesting--;
      return condition;
    }
    const yes = this.logic('||', operators.or, () => this.logic('&&', operators.and, () => this.relation()));
    this.expect(':');
    const no = this.expression();
    this.nesting--;
    const node = this.call(mark.offset, operators.conditional, [condition, yes, no]);
    return this.raise(this.place(node, start), [condition, yes, no]);
  }

  /** A call of a function or an operator, or what a macro of that name makes of it. */
  call(offset: number, name: string, args: readonly Node[], target?: Node): Node {
    const macro = this.macros.get(macroKey(name, args.length, target !== undefined));
    if (!macro) return this.make.call(offset, name, args, target);
    const tooMany = `expression count exceeds limit of ${maxNodes} while expanding macro '${name}'`;
    if (this.make.count > maxNodes) return this.fail(offset, tooMany);
    const expanded = macro({ make: this.make, at: offset, target, args });
    if (this.make.count > maxNodes) return this.fail(offset, tooMany);
    return 'error' in expanded ? this.fail(expanded.offset, expanded.error) : expanded;
  }

  /** Counts a node that nests in the way the parser limits; `inside` are the nodes in it. */
  raise(node: Node, inside: readonly Node[]): Node {
    let height = 0;
    for (const { id } of inside) height = Math.max(height, this.heights.get(id) ?? 0);
    if (++height > maxRecursion) this.tooDeep('max recursion depth exceeded');
    this.heights.set(node.id, height);
    return node;
  }

  /** A node that only passes the height of what is in it on. */
  pass(node: Node, inside: readonly Node[]): Node {
    let height = 0;
    for (const { id } of inside) height = Math.max(height, this.heights.get(id) ?? 0);
    if (height > 0) this.heights.set(node.id, Math.max(height, this.heights.get(node.id) ?? 0));
    return node;
  }

  /** The node ends with the last token. What is in brackets keeps its own place. */
  private place(node: Node, start: number, end = this.end()): Node {
    if (this.ranges && !this.ranges.has(node.id)) this.ranges.set(node.id, { start, end });
    return node;
  }

  private end(): number {
    const last = this.tokens[this.at - 1];
    return last ? last.offset + last.text.length : 0;
  }

  private tooDeep(message: string): never {
    this.source.report(-1, message);
    throw new SyntaxStop();
  }

  /** Terms become a balanced tree: a long chain is not deep, and its mistakes are told as those of pairs. */
  private logic(symbol: string, name: string, operand: () => Node): Node {
    const starts = [this.token.offset];
    const terms = [operand()];
    const ends = [this.end()];
    const offsets: number[] = [];
    for (let mark = this.take(symbol); mark; mark = this.take(symbol)) {
      offsets.push(mark.offset);
      starts.push(this.token.offset);
      terms.push(operand());
      ends.push(this.end());
    }
    const pair = (low: number, high: number): Node => {
      if (low > high) return terms[low] as Node;
      const middle = Math.floor((low + high + 1) / 2);
      const sides = [pair(low, middle - 1), pair(middle + 1, high)];
      const node = this.make.call(offsets[middle] as number, name, sides);
      return this.pass(this.place(node, starts[low] as number, ends[high + 1]), sides);
    };
    return pair(0, offsets.length - 1);
  }

  private relation(): Node {
    return this.binary(relations, () => this.binary(sums, () => this.binary(products, () => this.unary())));
  }

  private binary(names: ReadonlyMap<string, string>, operand: () => Node): Node {
    const start = this.token.offset;
    let left = operand();
    for (;;) {
      const name = this.token.kind === 'symbol' ? names.get(this.token.text) : undefined;
      if (name === undefined) return left;
      const { offset } = this.next();
      const right = operand();
      left = this.raise(this.place(this.call(offset, name, [left, right]), start), [left, right]);
    }
  }

  private unary(): Node {
    const { offset, text, kind } = this.token;
    if (kind !== 'symbol' || (text !== '!' && text !== '-')) return this.member();
    let count = 0;
    while (this.isSymbol(text)) {
      if (text === '-' && count === 0 && ['int', 'double'].includes(this.peek(1).kind)) return this.member();
      this.next();
      count++;
    }
    const operand = this.member();
    if (count % 2 === 0) return operand;
    const name = text === '!' ? operators.not : operators.negate;
    return this.pass(this.place(this.call(offset, name, [operand]), offset), [operand]);
  }

  private member(): Node {
    const start = this.token.offset;
    let node = this.place(parsePrimary(this), start);
    for (;;) {
      const dot = this.take('.');
      if (dot) node = this.place(this.afterDot(node, dot.offset), start);
      else {
        const bracket = this.take('[');
        if (!bracket) return node;
        const name = this.take('?') ? operators.optIndex : operators.index;
        const index = this.expression();
        this.expect(']');
        node = this.raise(this.place(this.call(bracket.offset, name, [node, index]), start), [node, index]);
      }
    }
  }

  private afterDot(node: Node, offset: number): Node {
    const isOptional = this.take('?') !== undefined;
    const { kind, text, offset: at } = this.token;
    if (kind !== 'ident' && kind !== 'escaped') this.noField(offset, isOptional);
    this.next();
    const name = kind === 'escaped' ? text.slice(1, -1) : text;
    if (isOptional) {
      const field = this.make.literal(at, name);
      return this.raise(this.make.call(offset, operators.optSelect, [node, field]), [node]);
    }
    const open = kind === 'ident' ? this.take('(') : undefined;
    if (!open) return this.raise(this.make.select(offset, node, name), [node]);
    const args = this.arguments();
    return this.raise(this.call(open.offset, name, args, node), [node, ...args]);
  }

  /** The rest of a call behind its bracket. */
  arguments(): readonly Node[] {
    const args: Node[] = [];
    if (this.take(')')) return args;
    do args.push(this.expression());
    while (this.take(','));
    this.expect(')');
    return args;
  }

  /** Where an expression must begin and does not. */
  noExpression(): never {
    return this.unexpected(expressionStart);
  }
}
