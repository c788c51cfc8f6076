export type TokenKind =
  | 'name'
  | 'quoted-name'
  | 'literal'
  | 'text'
  | 'number'
  | '.'
  | '*'
  | ','
  | ':'
  | '{'
  | '}'
  | '['
  | ']'
  | '[]'
  | '[?'
  | '('
  | ')'
  | '@'
  | '&'
  | '&&'
  | '||'
  | '|'
  | '!'
  | '=='
  | '!='
  | '<'
  | '<='
  | '>'
  | '>='
  // Only in the community's dialect:
  | 'variable'
  | '$'
  | '='
  | '+'
  | '-'
  | '×'
  | '/'
  | '//'
  | '%'
  | 'end';

export interface Token {
  readonly kind: TokenKind;
  /** Where it starts in the expression. */
  readonly at: number;
  /** A name or text decoded, digits, the parsed value of a literal. */
  readonly value?: unknown;
}
