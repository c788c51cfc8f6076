import { TemplateError } from '../errors.ts';
import { quote } from '../format/quote.ts';
import { maxNesting } from '../limits.ts';
import type { CommandNode, Operand, PipeNode, VariableNode } from './ast.ts';
import { renderNode } from './ast.ts';
import { Lexer } from './lexer.ts';
import { parseNumber } from './number.ts';
import { describeToken, type Token, type TokenType } from './token.ts';
import { unquote } from './unquote.ts';

export interface ParseOptions {
  readonly name: string;
  readonly hasFunction: (name: string) => boolean;
  readonly leftDelimiter?: string | undefined;
  readonly rightDelimiter?: string | undefined;
}

const operandTypes: ReadonlySet<TokenType> = new Set<TokenType>([
  'bool',
  'charConstant',
  'complex',
  'dot',
  'field',
  'identifier',
  'number',
  'nil',
  'rawString',
  'string',
  'variable',
  'leftParen',
]);

/** Reads what stands between delimiters: pipelines, commands, operands. The parser of actions stands on it. */
export class ExpressionParser {
  private readonly lexer: Lexer;
  // Tokens handed back, the next one last. The line of an error is that of the token read most recently.
  protected readonly pending: Token[] = [];
  private newest: Token | undefined;
  protected variables = ['$'];
  private nesting = 0;
  protected actionLine = 0;

  constructor(
    text: string,
    protected readonly options: ParseOptions,
  ) {
    this.lexer = new Lexer(text, options.leftDelimiter || '{{', options.rightDelimiter || '}}');
  }

  protected next(): Token {
    const token = this.pending.pop();
    if (token) return token;
    this.newest = this.lexer.next();
    return this.newest;
  }

  protected peek(): Token {
    const token = this.next();
    this.pending.push(token);
    return token;
  }

  protected nextNonSpace(): Token {
    let token = this.next();
    while (token.type === 'space') token = this.next();
    return token;
  }

  protected peekNonSpace(): Token {
    const token = this.nextNonSpace();
    this.pending.push(token);
    return token;
  }

  protected fail(message: string): never {
    const { name } = this.options;
    const line = this.newest?.line ?? 1;
    throw new TemplateError('template-syntax', `template: ${name}:${line}: ${message}`, { template: name, line });
  }

  protected expect(type: TokenType, context: string): Token {
    const token = this.nextNonSpace();
    if (token.type !== type) this.unexpected(token, context);
    return token;
  }

  protected unexpected(token: Token, context: string): never {
    if (token.type !== 'error') this.fail(`unexpected ${describeToken(token)} in ${context}`);
    let extra = '';
    if (this.actionLine !== 0 && this.actionLine !== token.line) {
      extra = `${token.text.endsWith(' action') ? '' : ' in action'} started at ${this.options.name}:${this.actionLine}`;
    }
    this.fail(token.text + extra);
  }

  protected unquote(token: Token): string {
    return this.attempt(() => unquote(token.text));
  }

  private attempt<T>(work: () => T): T {
    try {
      return work();
    } catch (thrown) {
      return this.fail((thrown as Error).message);
    }
  }

  protected enter(): void {
    if (++this.nesting > maxNesting) this.fail('max expression depth exceeded');
  }

  protected leave(): void {
    this.nesting--;
  }

  protected pipeline(context: string, end: 'rightDelim' | 'rightParen'): PipeNode {
    const { pos } = this.peekNonSpace();
    const declarations: VariableNode[] = [];
    const isAssign = this.declarations(context, declarations);
    const commands: CommandNode[] = [];
    for (;;) {
      const token = this.nextNonSpace();
      if (token.type === end) break;
      if (!operandTypes.has(token.type)) this.unexpected(token, context);
      this.pending.push(token);
      commands.push(this.command());
    }
    if (commands.length === 0) this.fail(`missing value for ${context}`);
    commands.slice(1).forEach(({ args }, index) => {
      if (['bool', 'dot', 'nil', 'number', 'string'].includes(args[0]!.kind)) {
        this.fail(`non executable command in pipeline stage ${index + 2}`);
      }
    });
    return { kind: 'pipe', pos, isAssign, declarations, commands };
  }

  /** `$x :=`, `$x =` or, in a range, `$i, $x :=`; true for an assignment. */
  private declarations(context: string, into: VariableNode[]): boolean {
    for (;;) {
      const variable = this.peekNonSpace();
      if (variable.type !== 'variable') return false;
      this.next();
      // `$x foo` is seen to be no declaration only three tokens later.
      const after = this.next();
      let next = after;
      while (next.type === 'space') next = this.next();
      if (next.type === 'assign' || next.type === 'declare') {
        this.declare(variable, into);
        return next.type === 'assign';
      }
      if (next.type !== 'char' || next.text !== ',') {
        this.pending.push(next);
        if (after !== next) this.pending.push(after);
        this.pending.push(variable);
        return false;
      }
      this.declare(variable, into);
      if (context !== 'range' || into.length >= 2) this.fail(`too many declarations in ${context}`);
      const { type } = this.peekNonSpace();
      if (type !== 'variable' && type !== 'rightDelim' && type !== 'rightParen') {
        this.fail('range can only initialize variables');
      }
    }
  }

  private declare({ pos, text }: Token, into: VariableNode[]): void {
    into.push({ kind: 'variable', pos, names: [text] });
    this.variables.push(text);
  }

  private command(): CommandNode {
    const { pos } = this.peekNonSpace();
    const args: Operand[] = [];
    for (;;) {
      this.peekNonSpace();
      const operand = this.operand();
      if (operand) args.push(operand);
      const token = this.next();
      if (token.type === 'space') continue;
      if (token.type === 'rightDelim' || token.type === 'rightParen') this.pending.push(token);
      else if (token.type !== 'pipe') this.unexpected(token, 'operand');
      break;
    }
    if (args.length === 0) this.fail('empty command');
    return { kind: 'command', pos, args };
  }

  private operand(): Operand | undefined {
    const node = this.term();
    if (!node || this.peek().type !== 'field') return node;
    const { pos } = this.peek();
    const names: string[] = [];
    while (this.peek().type === 'field') names.push(this.next().text.slice(1));
    switch (node.kind) {
      case 'field':
        return { kind: 'field', pos, names: [...node.names, ...names] };
      case 'variable':
        return { kind: 'variable', pos, names: [...node.names, ...names] };
      case 'bool':
      case 'string':
      case 'number':
      case 'nil':
      case 'dot':
        return this.fail(`unexpected . after term ${quote(renderNode(node))}`);
      default:
        return { kind: 'chain', pos, node, names };
    }
  }

  private term(): Operand | undefined {
    const token = this.nextNonSpace();
    const { pos, text } = token;
    switch (token.type) {
      case 'identifier':
        if (!this.options.hasFunction(text)) this.fail(`function ${quote(text)} not defined`);
        return { kind: 'identifier', pos, name: text };
      case 'dot':
        return { kind: 'dot', pos };
      case 'nil':
        return { kind: 'nil', pos };
      case 'variable':
        if (!this.variables.includes(text)) this.fail(`undefined variable ${quote(text)}`);
        return { kind: 'variable', pos, names: [text] };
      case 'field':
        return { kind: 'field', pos, names: [text.slice(1)] };
      case 'bool':
        return { kind: 'bool', pos, value: text === 'true' };
      case 'charConstant':
      case 'complex':
      case 'number':
        return this.attempt(() => parseNumber(token));
      case 'leftParen': {
        this.enter();
        const pipe = this.pipeline('parenthesized pipeline', 'rightParen');
        this.leave();
        return pipe;
      }
      case 'string':
      case 'rawString':
        return { kind: 'string', pos, quoted: text, text: this.unquote(token) };
      default:
        this.pending.push(token);
        return undefined;
    }
  }
}
