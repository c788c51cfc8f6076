import type { JmespathError } from './errors.ts';
import { syntaxError } from './lexer.ts';
import type { Token, TokenKind } from './token.ts';

/** A place in a list of tokens that ends with `end`, and what to say of a token that does not belong there. */
export class TokenCursor {
  protected next = 0;

  constructor(
    protected readonly expression: string,
    protected readonly tokens: readonly Token[],
  ) {}

  protected kind(): TokenKind {
    return (this.tokens[this.next] as Token).kind;
  }

  protected at(): number {
    return (this.tokens[this.next] as Token).at;
  }

  protected take(): Token {
    const token = this.tokens[this.next] as Token;
    if (token.kind !== 'end') this.next++;
    return token;
  }

  protected expect(kind: TokenKind): void {
    if (this.kind() !== kind) {
      throw syntaxError(this.expression, this.at(), `${kind} is expected here, not ${this.shown()}`);
    }
    this.next++;
  }

  protected shown(): string {
    const { kind, at } = this.tokens[this.next] as Token;
    if (kind === 'end') return 'the end of the expression';
    return this.expression
      .slice(at, this.tokens[this.next + 1]?.at)
      .trim()
      .slice(0, 40);
  }

  protected unexpected(): JmespathError {
    const { kind, value } = this.tokens[this.next] as Token;
    const hint = kind === 'number' && value === '-' ? ' (a name with a dash must be in double quotes)' : '';
    return syntaxError(this.expression, this.at(), `${this.shown()} is not expected here${hint}`);
  }
}
