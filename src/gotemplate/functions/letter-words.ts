import { toLower, toUpper } from '../../base/index.ts';
import { encodeUtf8 } from '../utf8.ts';

/** Words and their case, as the libraries behind sprig see them. */

const isSpace = (c: string) => /[\t\n\v\f\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/u.test(c);
const isUpper = (c: string) => /\p{Lu}/u.test(c);
const isLower = (c: string) => /\p{Ll}/u.test(c);

/** Go's strings.Title. */
export function titleCase(text: string): string {
  let previous = ' ';
  return mapCharacters(text, (c) => {
    const isStart = isSeparator(previous);
    previous = c;
    return isStart ? toUpper(c) : c;
  });
}

function isSeparator(c: string): boolean {
  if (c.charCodeAt(0) < 0x80) return !/\w/.test(c);
  return !/[\p{L}\p{Nd}]/u.test(c) && isSpace(c);
}

/** The first letter of each word in lower case. */
export function uncapitalize(text: string): string {
  let isStart = true;
  return mapCharacters(text, (c) => {
    if (isSpace(c)) {
      isStart = true;
      return c;
    }
    const mapped = isStart ? toLower(c) : c;
    isStart = false;
    return mapped;
  });
}

export function swapCase(text: string): string {
  return mapCharacters(text, (c) => (isUpper(c) || /\p{Lt}/u.test(c) ? toLower(c) : isLower(c) ? toUpper(c) : c));
}

/** The first byte of each word, taken for a character: what sprig does is what templates rely on. */
export function initials(text: string): string {
  let isStart = true;
  return mapCharacters(encodeUtf8(text).toString('latin1'), (c) => {
    const kept = isStart && !isSpace(c) ? c : '';
    isStart = isSpace(c);
    return kept;
  });
}

function mapCharacters(text: string, map: (c: string) => string): string {
  let mapped = '';
  for (const c of text) mapped += map(c);
  return mapped;
}

const isConnector = (c: string) => c === '-' || c === '_' || isSpace(c);

/** `some-words` to `SomeWords`. */
export function camelCase(text: string): string {
  const characters = [...text];
  let result = '';
  let i = 0;
  while (i < characters.length && isConnector(characters[i]!)) result += characters[i++];
  // Of connectors alone, the last one is written twice, as by the library that sprig uses.
  if (i === characters.length) return result + (characters.at(-1) ?? '');
  let isAfterUpper = isUpper(characters[i]!);
  let current = toUpper(characters[i]!);
  if (i === characters.length - 1) return result + current;
  for (i++; i < characters.length; i++) {
    const previous = current;
    current = characters[i]!;
    if (isConnector(current) && isConnector(previous)) {
      result += previous;
    } else if (isConnector(previous)) {
      isAfterUpper = isUpper(current);
      current = toUpper(current);
    } else {
      // A run of capitals is one word.
      if (isAfterUpper && isUpper(current)) current = toLower(current);
      else if (isAfterUpper) isAfterUpper = false;
      result += previous;
    }
  }
  return result + current;
}

type WordKind = 'none' | 'number' | 'upper' | 'letters' | 'connector' | 'punctuation' | 'other';
interface Word {
  readonly kind: WordKind;
  readonly text: string;
}

// Scripts without case make no words of their own.
const isLetter = (c: string) => /\p{L}/u.test(c) && !/\p{Script=Han}/u.test(c);
const isNumber = (c: string) => /\p{N}/u.test(c);
const isPunctuation = (c: string) => /\p{P}/u.test(c);

/** `SomeWords` to `some_words` or `some-words`. */
export function delimitedCase(text: string, connector: '_' | '-'): string {
  if (text === '') return '';
  const reader = new WordReader(text);
  let result = '';
  const write = ({ kind, text: word }: Word) => {
    if (kind !== 'upper' && kind !== 'connector') result += word;
    else for (const c of word) result += isConnector(c) ? connector : toLower(c);
  };
  const isJoining = (kind: WordKind) => kind === 'connector' || kind === 'punctuation';
  const isWord = (kind: WordKind) => kind === 'letters' || kind === 'number';
  let word = reader.next();
  while (!reader.isDone) {
    if (word.kind !== 'connector') write(word);
    const last = word;
    word = reader.next();
    if (last.kind === 'number') {
      for (; isWord(word.kind); word = reader.next()) write(word);
      if (word.kind !== 'none' && !isJoining(word.kind)) result += connector;
    } else if (last.kind === 'connector') {
      write(last);
    } else if (last.kind !== 'punctuation') {
      if (word.kind !== 'number') {
        if (!isJoining(word.kind)) result += connector;
        continue;
      }
      if (reader.isDone) continue;
      const digits = word;
      word = reader.next();
      if (word.kind !== 'letters') {
        write(digits);
        if (!isJoining(word.kind)) result += connector;
        continue;
      }
      result += connector;
      write(digits);
      for (; isWord(word.kind); word = reader.next()) write(word);
      if (word.kind !== 'none' && !isJoining(word.kind)) result += connector;
    }
  }
  write(word);
  return result;
}

class WordReader {
  private readonly characters: readonly string[];
  private at = 0;

  constructor(text: string) {
    this.characters = [...text];
  }

  get isDone(): boolean {
    return this.at >= this.characters.length;
  }

  next(): Word {
    const first = this.characters[this.at];
    if (first === undefined) return { kind: 'none', text: '' };
    const start = this.at++;
    const kind = this.extend(first);
    return { kind, text: this.characters.slice(start, this.at).join('') };
  }

  private extend(first: string): WordKind {
    if (isConnector(first)) return this.skip(isConnector, 'connector');
    if (isPunctuation(first)) return this.skip(isPunctuation, 'punctuation');
    if (isUpper(first)) return this.extendUpper();
    if (isLetter(first)) return this.skip((c) => isLetter(c) && !isUpper(c), 'letters');
    if (isNumber(first)) return this.skip(isNumber, 'number');
    return this.skip((c) => !isConnector(c) && !isLetter(c) && !isNumber(c) && !isPunctuation(c), 'other');
  }

  private extendUpper(): WordKind {
    const second = this.characters[this.at];
    if (second === undefined || !isLetter(second)) return 'upper';
    if (!isUpper(second)) return this.skip((c) => isLetter(c) && !isUpper(c), 'upper');
    this.skip(isUpper, 'upper');
    // The last capital belongs to the word that follows: HTTPServer is HTTP and Server.
    const next = this.characters[this.at];
    if (next !== undefined && isLetter(next)) this.at--;
    return 'upper';
  }

  private skip(belongs: (c: string) => boolean, kind: WordKind): WordKind {
    while (!this.isDone && belongs(this.characters[this.at]!)) this.at++;
    return kind;
  }
}
