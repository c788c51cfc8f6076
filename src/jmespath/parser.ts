import {
  type ArithmeticOperator,
  type Comparator,
  childrenOf,
  current,
  type HashEntry,
  type LetBinding,
  type Node,
  type SliceBounds,
} from './ast.ts';
import type { Dialect } from './dialect.ts';
import { JmespathError } from './errors.ts';
import { syntaxError, tokenize } from './lexer.ts';
import { maxExpressionLength, maxNesting } from './limits.ts';
import type { Token, TokenKind } from './token.ts';
import { TokenCursor } from './token-cursor.ts';

const bindingPower: Partial<Record<TokenKind, number>> = {
  '|': 1,
  '||': 2,
  '&&': 3,
  '==': 5,
  '!=': 5,
  '<': 5,
  '<=': 5,
  '>': 5,
  '>=': 5,
  '+': 6,
  '-': 6,
  '/': 7,
  '//': 7,
  '%': 7,
  '×': 7,
  '[]': 9,
  '*': 20,
  '[?': 21,
  '.': 40,
  '!': 45,
  '{': 50,
  '[': 55,
  '(': 60,
};

// Tokens that bind less than this end the right side of a projection.
const projectionStop = 10;

/** Parses the whole language; refuses what is too long or nests too deep. */
export function parse(expression: string, dialect: Dialect = 'kyverno'): Node {
  if (expression.length > maxExpressionLength) {
    const message = `the expression is ${expression.length} characters long, more than ${maxExpressionLength}`;
    throw new JmespathError('jmespath-too-long', message, { expression: expression.slice(0, 200), offset: 0 });
  }
  return new Parser(expression, tokenize(expression, dialect), dialect).parse();
}

class Parser extends TokenCursor {
  private nesting = 0;
  // Left-leaning chains do not recurse while parsing but do when compiled, so the height of the tree counts.
  private readonly heights = new WeakMap<Node, number>();

  constructor(
    expression: string,
    tokens: readonly Token[],
    private readonly dialect: Dialect,
  ) {
    super(expression, tokens);
  }

  parse(): Node {
    const node = this.expressionOf(0);
    if (this.kind() !== 'end') throw this.unexpected();
    return node;
  }

  private expressionOf(power: number): Node {
    if (++this.nesting > maxNesting) throw this.tooDeep();
    let node = this.prefix(this.take());
    while (power < (bindingPower[this.kind()] ?? 0)) node = this.infix(this.take(), node);
    this.nesting--;
    return node;
  }

  private prefix(token: Token): Node {
    switch (token.kind) {
      case 'literal':
      case 'text':
        return { kind: 'literal', value: token.value };
      case 'name':
      case 'quoted-name':
        return this.fieldOrCall(token);
      case 'variable':
        return { kind: 'variable', name: token.value as string, at: token.at };
      case '@':
        return current;
      case '$':
        return { kind: 'root' };
      case '+':
      case '-':
        return this.node({ kind: 'sign', operator: token.kind, operand: this.expressionOf(6) });
      case '*':
        return this.node({ kind: 'values', left: current, right: this.projected(20) });
      case '[?':
        return this.filter(current);
      case '[]':
        return this.flatten(current);
      case '{':
        return this.hash();
      case '[':
        return this.bracket();
      case '&':
        return this.node({ kind: 'reference', body: this.expressionOf(0), at: token.at });
      case '!':
        return this.node({ kind: 'not', operand: this.expressionOf(45) });
      case '(': {
        const node = this.expressionOf(0);
        this.expect(')');
        return node;
      }
      case 'end':
        throw syntaxError(this.expression, token.at, 'the expression is incomplete');
      default:
        this.next--;
        throw this.unexpected();
    }
  }

  private infix(token: Token, left: Node): Node {
    switch (token.kind) {
      case '.':
        if (this.kind() !== '*') return this.node({ kind: 'sub', left, right: this.afterDot(40) });
        this.next++;
        return this.node({ kind: 'values', left, right: this.projected(40) });
      case '|':
        return this.node({ kind: 'pipe', left, right: this.expressionOf(1) });
      case '||':
        return this.node({ kind: 'or', left, right: this.expressionOf(2) });
      case '&&':
        return this.node({ kind: 'and', left, right: this.expressionOf(3) });
      case '==':
      case '!=':
      case '<':
      case '<=':
      case '>':
      case '>=':
        return this.node({ kind: 'compare', operator: token.kind as Comparator, left, right: this.expressionOf(5) });
      case '*':
        if (this.dialect === 'community') return this.arithmetic(token, left);
        this.next--;
        throw this.unexpected();
      case '+':
      case '-':
      case '×':
      case '/':
      case '//':
      case '%':
        return this.arithmetic(token, left);
      case '[?':
        return this.filter(left);
      case '[]':
        return this.flatten(left);
      case '[':
        if (this.kind() === 'number' || this.kind() === ':') return this.indexOrSlice(left);
        this.expect('*');
        this.expect(']');
        return this.node({ kind: 'projection', left, right: this.projected(20) });
      default:
        this.next--;
        throw this.unexpected();
    }
  }

  private fieldOrCall(token: Token): Node {
    const name = token.value as string;
    if (name === 'let' && token.kind === 'name' && this.kind() === 'variable') return this.letExpression();
    if (this.kind() !== '(') return { kind: 'field', name, at: token.at };
    if (token.kind === 'quoted-name') {
      throw syntaxError(this.expression, token.at, 'a function name cannot be quoted');
    }
    this.next++;
    const args: Node[] = [];
    // The reference implementation forgives missing and trailing commas, and public policies rely on it.
    while (this.kind() !== ')') {
      args.push(this.expressionOf(0));
      if (this.kind() === ',') this.next++;
    }
    this.next++;
    return this.node({ kind: 'call', name, args, at: token.at });
  }

  /** `let $a = …, $b = … in …`; no binding sees another of the same `let`. */
  private letExpression(): Node {
    const bindings: LetBinding[] = [];
    for (;;) {
      const token = this.take();
      if (token.kind !== 'variable') throw syntaxError(this.expression, token.at, 'a $variable is expected here');
      this.expect('=');
      bindings.push({ name: token.value as string, value: this.expressionOf(0) });
      if (this.kind() !== ',') break;
      this.next++;
    }
    const token = this.take();
    if (token.kind !== 'name' || token.value !== 'in') {
      throw syntaxError(this.expression, token.at, 'the word "in" is expected here');
    }
    return this.node({ kind: 'let', bindings, body: this.expressionOf(0) });
  }

  private arithmetic({ kind, at }: Token, left: Node): Node {
    const operator = kind === '×' ? '*' : (kind as ArithmeticOperator);
    const right = this.expressionOf(bindingPower[kind] ?? 0);
    return this.node({ kind: 'arithmetic', operator, left, right, at });
  }

  private bracket(): Node {
    if (this.kind() === 'number' || this.kind() === ':') return this.indexOrSlice(current);
    if (this.kind() === '*' && this.tokens[this.next + 1]?.kind === ']') {
      this.next += 2;
      return this.node({ kind: 'projection', left: current, right: this.projected(20) });
    }
    return this.list();
  }

  private indexOrSlice(left: Node): Node {
    const at = (this.tokens[this.next] as Token).at;
    const isSlice = this.kind() === ':' || this.tokens[this.next + 1]?.kind === ':';
    if (!isSlice) {
      const index = this.integer(this.take());
      this.expect(']');
      return this.node({ kind: 'index', left, index });
    }
    const bounds = this.sliceBounds();
    const slice = this.node({ kind: 'slice', left, bounds, at });
    return this.node({ kind: 'projection', left: slice, right: this.projected(20) });
  }

  private sliceBounds(): SliceBounds {
    const parts: (number | undefined)[] = [undefined, undefined, undefined];
    for (let part = 0; this.kind() !== ']' && part < 3; ) {
      const token = this.take();
      if (token.kind === ':') part++;
      else if (token.kind === 'number') parts[part] = this.integer(token);
      else throw syntaxError(this.expression, token.at, 'a slice holds only integers and colons');
    }
    this.expect(']');
    return { start: parts[0], stop: parts[1], step: parts[2] };
  }

  private integer(token: Token): number {
    const value = Number(token.value);
    if (token.value === '-' || !Number.isSafeInteger(value)) {
      throw syntaxError(this.expression, token.at, `${JSON.stringify(token.value)} is not an integer`);
    }
    return value;
  }

  private filter(left: Node): Node {
    const condition = this.expressionOf(0);
    this.expect(']');
    return this.node({ kind: 'filter', left, condition, right: this.projected(21) });
  }

  private flatten(left: Node): Node {
    const flat = this.node({ kind: 'flatten', left });
    return this.node({ kind: 'projection', left: flat, right: this.projected(9) });
  }

  private list(): Node {
    const items = [this.expressionOf(0)];
    while (this.kind() === ',') {
      this.next++;
      items.push(this.expressionOf(0));
    }
    this.expect(']');
    return this.node({ kind: 'list', items });
  }

  private hash(): Node {
    const entries: HashEntry[] = [];
    for (;;) {
      const token = this.take();
      if (token.kind !== 'name' && token.kind !== 'quoted-name') {
        throw syntaxError(this.expression, token.at, 'a key of the object is expected here');
      }
      this.expect(':');
      entries.push({ key: token.value as string, value: this.expressionOf(0) });
      if (this.kind() === ',') this.next++;
      else if (this.kind() === '}') break;
    }
    this.next++;
    return this.node({ kind: 'hash', entries });
  }

  private afterDot(power: number): Node {
    switch (this.kind()) {
      case 'name':
      case 'quoted-name':
      case '*':
        return this.expressionOf(power);
      case '[':
        this.next++;
        return this.list();
      case '{':
        this.next++;
        return this.hash();
      default:
        throw syntaxError(this.expression, this.at(), 'a name, [ or { is expected after the dot');
    }
  }

  private projected(power: number): Node {
    const kind = this.kind();
    if ((bindingPower[kind] ?? 0) < projectionStop) return current;
    if (kind === '[' || kind === '[?') return this.expressionOf(power);
    if (kind !== '.') throw this.unexpected();
    this.next++;
    return this.afterDot(power);
  }

  private node<N extends Node>(node: N): N {
    let height = 0;
    for (const child of childrenOf(node)) height = Math.max(height, this.heights.get(child) ?? 0);
    if (height + 1 > maxNesting) throw this.tooDeep();
    this.heights.set(node, height + 1);
    return node;
  }

  private tooDeep(): JmespathError {
    const message = `the expression nests more than ${maxNesting} levels deep`;
    return new JmespathError('jmespath-too-deep', message, { expression: this.expression, offset: this.at() });
  }
}
