import { Flags, unlimited } from '../format/flags.ts';
import { quote } from '../format/quote.ts';
import { keywords, type Token, type TokenType } from './token.ts';

const spaceCharacters = ' \t\r\n';
const alphaNumeric = /[\p{L}\p{Nd}_]/u;
const decimalDigits = '0123456789_';
const hexDigits = '0123456789abcdefABCDEF_';

/** Cuts a template into tokens, one at a time; after an error token there is nothing more to ask for. */
export class Lexer {
  private pos = 0;
  private start = 0;
  private insideAction = false;
  private parenDepth = 0;
  private countedTo = 0;
  private line = 1;

  constructor(
    private readonly input: string,
    private readonly left = '{{',
    private readonly right = '}}',
  ) {}

  next(): Token {
    return this.insideAction ? this.lexAction() : this.lexText();
  }

  private emit(type: TokenType): Token {
    const token = {
      type,
      pos: this.start,
      text: this.input.slice(this.start, this.pos),
      line: this.lineAt(this.start),
    };
    this.start = this.pos;
    return token;
  }

  private fail(text: string): Token {
    return { type: 'error', pos: this.start, text, line: this.lineAt(this.start) };
  }

  private lineAt(pos: number): number {
    for (let i = this.input.indexOf('\n', this.countedTo); i !== -1 && i < pos; i = this.input.indexOf('\n', i + 1)) {
      this.line++;
    }
    this.countedTo = Math.max(this.countedTo, pos);
    return this.line;
  }

  private lexText(): Token {
    for (;;) {
      const open = this.input.indexOf(this.left, this.pos);
      if (open === -1) {
        this.pos = this.input.length;
        return this.emit(this.pos > this.start ? 'text' : 'eof');
      }
      const from = this.start;
      this.pos = this.hasLeftTrim(open + this.left.length) ? this.trimRight(from, open) : open;
      const text = this.emit('text');
      this.pos = this.start = open;
      if (text.text.length > 0) return text;
      const next = this.lexLeftDelim();
      if (next) return next;
    }
  }

  /** Undefined after a comment: text goes on behind it. */
  private lexLeftDelim(): Token | undefined {
    this.pos += this.left.length;
    const afterMarker = this.hasLeftTrim(this.pos) ? 2 : 0;
    if (this.input.startsWith('/*', this.pos + afterMarker)) {
      this.pos += afterMarker;
      this.start = this.pos;
      return this.lexComment();
    }
    const token = this.emit('leftDelim');
    this.insideAction = true;
    this.pos += afterMarker;
    this.start = this.pos;
    this.parenDepth = 0;
    return token;
  }

  private lexComment(): Token | undefined {
    const end = this.input.indexOf('*/', this.pos + 2);
    if (end === -1) return this.fail('unclosed comment');
    this.pos = end + 2;
    const delimiter = this.rightDelimAt();
    if (!delimiter) return this.fail('comment ends before closing delimiter');
    this.skipRightDelim(delimiter);
    return undefined;
  }

  private skipRightDelim(delimiter: 'plain' | 'trimmed'): void {
    this.pos += this.right.length + (delimiter === 'trimmed' ? 2 : 0);
    if (delimiter === 'trimmed') while (this.isSpaceAt(this.pos)) this.pos++;
    this.start = this.pos;
  }

  private lexRightDelim(): Token {
    const delimiter = this.rightDelimAt()!;
    if (delimiter === 'trimmed') this.start = this.pos += 2;
    this.pos += this.right.length;
    const token = this.emit('rightDelim');
    if (delimiter === 'trimmed') while (this.isSpaceAt(this.pos)) this.pos++;
    this.start = this.pos;
    this.insideAction = false;
    return token;
  }

  private lexAction(): Token {
    if (this.rightDelimAt()) return this.parenDepth === 0 ? this.lexRightDelim() : this.fail('unclosed left paren');
    const c = this.character();
    if (c === '') return this.fail('unclosed action');
    if (spaceCharacters.includes(c)) return this.lexSpace();
    this.pos += c.length;
    switch (c) {
      case '=':
        return this.emit('assign');
      case ':':
        if (this.input[this.pos++] !== '=') return this.fail('expected :=');
        return this.emit('declare');
      case '|':
        return this.emit('pipe');
      case '"':
        return this.lexQuoted('"', 'string', 'unterminated quoted string');
      case "'":
        return this.lexQuoted("'", 'charConstant', 'unterminated character constant');
      case '`': {
        const end = this.input.indexOf('`', this.pos);
        if (end === -1) return this.fail('unterminated raw quoted string');
        this.pos = end + 1;
        return this.emit('rawString');
      }
      case '$':
        return this.lexName('variable');
      case '(':
        this.parenDepth++;
        return this.emit('leftParen');
      case ')':
        if (--this.parenDepth < 0) return this.fail('unexpected right paren');
        return this.emit('rightParen');
      case '.':
        if (this.pos < this.input.length && !isDigit(this.input[this.pos]!)) return this.lexName('field');
        this.pos--;
        return this.lexNumber();
      default:
    }
    if (c === '+' || c === '-' || isDigit(c)) {
      this.pos--;
      return this.lexNumber();
    }
    if (alphaNumeric.test(c)) return this.lexIdentifier();
    if (c > ' ' && c < '\x7f') return this.emit('char');
    return this.fail(`unrecognized character in action: ${describeCharacter(c)}`);
  }

  private lexSpace(): Token {
    const from = this.pos;
    while (this.isSpaceAt(this.pos)) this.pos++;
    // A space may belong to a closing delimiter that trims.
    this.pos--;
    if (this.rightDelimAt() === 'trimmed') {
      if (this.pos === from) return this.lexRightDelim();
    } else this.pos++;
    return this.emit('space');
  }

  private lexIdentifier(): Token {
    this.skipName();
    if (!this.atTerminator()) return this.badCharacter();
    const word = this.input.slice(this.start, this.pos);
    if (keywords.has(word)) return this.emit(word as TokenType);
    return this.emit(word === 'true' || word === 'false' ? 'bool' : 'identifier');
  }

  /** `.name` or `$name`; the first character has been read. */
  private lexName(type: 'field' | 'variable'): Token {
    if (this.atTerminator()) return this.emit(type === 'variable' ? 'variable' : 'dot');
    this.skipName();
    return this.atTerminator() ? this.emit(type) : this.badCharacter();
  }

  private badCharacter(): Token {
    return this.fail(`bad character ${describeCharacter(this.character())}`);
  }

  private skipName(): void {
    for (let c = this.character(); c !== '' && alphaNumeric.test(c); c = this.character()) this.pos += c.length;
  }

  private lexQuoted(delimiter: string, type: TokenType, message: string): Token {
    for (;;) {
      const c = this.input[this.pos++];
      if (c === delimiter) return this.emit(type);
      const isBroken = c === undefined || c === '\n';
      const next = c === '\\' ? this.input[this.pos++] : '';
      if (isBroken || next === undefined || next === '\n') return this.fail(message);
    }
  }

  private lexNumber(): Token {
    let isGood = this.scanNumber();
    let type: TokenType = 'number';
    if (isGood && '+-'.includes(this.input[this.pos] ?? ' ')) {
      isGood = this.scanNumber() && this.input[this.pos - 1] === 'i';
      type = 'complex';
    }
    return isGood ? this.emit(type) : this.fail(`bad number syntax: ${quote(this.input.slice(this.start, this.pos))}`);
  }

  private scanNumber(): boolean {
    this.accept('+-');
    let digits = decimalDigits;
    if (this.accept('0')) {
      if (this.accept('xX')) digits = hexDigits;
      else if (this.accept('oO')) digits = '01234567_';
      else if (this.accept('bB')) digits = '01_';
    }
    this.acceptRun(digits);
    if (this.accept('.')) this.acceptRun(digits);
    if ((digits === decimalDigits && this.accept('eE')) || (digits === hexDigits && this.accept('pP'))) {
      this.accept('+-');
      this.acceptRun(decimalDigits);
    }
    this.accept('i');
    const c = this.character();
    if (c === '' || !alphaNumeric.test(c)) return true;
    this.pos += c.length;
    return false;
  }

  private accept(valid: string): boolean {
    const c = this.input[this.pos];
    if (c === undefined || !valid.includes(c)) return false;
    this.pos++;
    return true;
  }

  private acceptRun(valid: string): void {
    while (this.accept(valid));
  }

  private character(): string {
    const codePoint = this.input.codePointAt(this.pos);
    return codePoint === undefined ? '' : String.fromCodePoint(codePoint);
  }

  private atTerminator(): boolean {
    const c = this.input[this.pos];
    return c === undefined || ' \t\r\n.,|:)('.includes(c) || this.input.startsWith(this.right, this.pos);
  }

  private rightDelimAt(): 'plain' | 'trimmed' | undefined {
    if (
      this.isSpaceAt(this.pos) &&
      this.input[this.pos + 1] === '-' &&
      this.input.startsWith(this.right, this.pos + 2)
    ) {
      return 'trimmed';
    }
    return this.input.startsWith(this.right, this.pos) ? 'plain' : undefined;
  }

  private hasLeftTrim(pos: number): boolean {
    return this.input[pos] === '-' && this.isSpaceAt(pos + 1);
  }

  private isSpaceAt(pos: number): boolean {
    const c = this.input[pos];
    return c !== undefined && spaceCharacters.includes(c);
  }

  private trimRight(from: number, end: number): number {
    while (end > from && this.isSpaceAt(end - 1)) end--;
    return end;
  }
}

const isDigit = (c: string) => c >= '0' && c <= '9';

function describeCharacter(c: string): string {
  // Go names the end of input as the rune -1.
  if (c === '') return 'U+FFFFFFFFFFFFFFFF';
  return Object.assign(new Flags(unlimited), { sharp: true }).unicode(c.codePointAt(0)!);
}
