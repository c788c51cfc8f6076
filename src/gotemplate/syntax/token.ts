import { quote } from '../format/quote.ts';

export type TokenType =
  | 'error'
  | 'bool'
  | 'char'
  | 'charConstant'
  | 'complex'
  | 'assign'
  | 'declare'
  | 'eof'
  | 'field'
  | 'identifier'
  | 'leftDelim'
  | 'leftParen'
  | 'number'
  | 'pipe'
  | 'rawString'
  | 'rightDelim'
  | 'rightParen'
  | 'space'
  | 'string'
  | 'text'
  | 'variable'
  | 'dot'
  | Keyword;

type Keyword =
  | 'block'
  | 'break'
  | 'continue'
  | 'define'
  | 'else'
  | 'end'
  | 'if'
  | 'nil'
  | 'range'
  | 'template'
  | 'with';

export const keywords: ReadonlySet<string> = new Set<Keyword>([
  'block',
  'break',
  'continue',
  'define',
  'else',
  'end',
  'if',
  'nil',
  'range',
  'template',
  'with',
]);

export interface Token {
  readonly type: TokenType;
  /** Index into the template (UTF-16 units). */
  readonly pos: number;
  readonly text: string;
  readonly line: number;
}

/** A token as messages name it. */
export function describeToken({ type, text }: Token): string {
  if (type === 'eof') return 'EOF';
  if (type === 'error') return text;
  if (keywords.has(type) || type === 'dot') return `<${text}>`;
  const characters = [...text];
  // Go cuts at ten bytes, but never inside a character.
  return characters.length > 10 ? `${quote(characters.slice(0, 10).join(''))}...` : quote(text);
}
