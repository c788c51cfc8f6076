export type TokenKind = 'ident' | 'escaped' | 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'symbol' | 'end';

export interface Token {
  readonly kind: TokenKind;
  /** As written; for symbols and the words `in`, `true`, `false` and `null` what they are. */
  readonly text: string;
  readonly offset: number;
}

/** What may begin an expression, as the grammar names it in messages. */
export const expressionStart =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

export function startsExpression({ kind, text }: Token): boolean {
  if (kind !== 'symbol') return kind !== 'end' && kind !== 'escaped';
  return ['[', '{', '(', '.', '-', '!', 'true', 'false', 'null'].includes(text);
}
