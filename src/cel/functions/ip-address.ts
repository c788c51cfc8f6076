import { quoteGo } from '../../base/index.ts';

/** An address as a number of 32 or 128 bits. */
export interface Address {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

interface ParsedAddress {
  readonly address: Address;
  /** Of IPv6, what is behind a percent sign. */
  readonly zone: string;
}

/** What is wrong with an address, and the part of it where that shows. */
class AddressMistake extends Error {
  constructor(
    message: string,
    readonly at = '',
  ) {
    super(message);
  }
}

/** As Go's netip.ParseAddr; a refusal is its words. */
export function parseAddress(text: string): ParsedAddress | string {
  try {
    const [mark] = /[.:%]/.exec(text) ?? [];
    if (mark === '.') return { address: { bits: 32, value: numberOf(parseV4(text), 8) }, zone: '' };
    if (mark === ':') return parseV6(text);
    return refusal(text, new AddressMistake(mark ? 'missing IPv6 address' : 'unable to parse IP'));
  } catch (thrown) {
    if (thrown instanceof AddressMistake) return refusal(text, thrown);
    throw thrown;
  }
}

function refusal(text: string, { message, at }: AddressMistake): string {
  const where = at === '' ? '' : ` (at ${quoteGo(at)})`;
  return `ParseAddr(${quoteGo(text)}): ${message}${where}`;
}

const numberOf = (fields: readonly number[], width: number) =>
  fields.reduce((value, field) => (value << BigInt(width)) | BigInt(field), 0n);

function parseV4(text: string): readonly number[] {
  const fields: number[] = [];
  let value = 0;
  let digits = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text[i] as string;
    if (c >= '0' && c <= '9') {
      if (digits === 1 && value === 0) throw new AddressMistake('IPv4 field has octet with leading zero');
      value = value * 10 + Number(c);
      digits++;
      if (value > 255) throw new AddressMistake('IPv4 field has value >255');
    } else if (c === '.') {
      if (i === 0 || i === text.length - 1 || text[i - 1] === '.')
        throw new AddressMistake('IPv4 field must have at least one digit', text.slice(i));
      if (fields.length === 3) throw new AddressMistake('IPv4 address too long');
      fields.push(value);
      value = 0;
      digits = 0;
    } else throw new AddressMistake('unexpected character', text.slice(i));
  }
  if (fields.length < 3) throw new AddressMistake('IPv4 address too short');
  return [...fields, value];
}

function parseV6(text: string): ParsedAddress {
  const percent = text.indexOf('%');
  const zone = percent < 0 ? '' : text.slice(percent + 1);
  if (percent >= 0 && zone === '') throw new AddressMistake('zone must be a non-empty string');
  const groups = parseGroups(percent < 0 ? text : text.slice(0, percent));
  return { address: { bits: 128, value: numberOf(groups, 16) }, zone };
}

const maxGroups = 8;

/** The eight groups, of which two colons in a row stand for as many zeros as are missing. */
function parseGroups(text: string): readonly number[] {
  const groups: number[] = [];
  let rest = text;
  let gap = -1;
  if (rest.startsWith('::')) {
    gap = 0;
    rest = rest.slice(2);
  }
  while (rest !== '' || (gap < 0 && groups.length === 0)) {
    if (groups.length >= maxGroups) throw new AddressMistake('trailing garbage after address', rest);
    const [digits = ''] = /^[0-9a-fA-F]*/.exec(rest) ?? [];
    if (digits.length > 4) throw new AddressMistake('each group must have 4 or less digits', rest);
    if (digits === '') throw new AddressMistake('each colon-separated field must have at least one digit', rest);
    if (rest[digits.length] === '.') {
      groups.push(...embedded(rest, groups.length, gap));
      break;
    }
    groups.push(Number.parseInt(digits, 16));
    rest = rest.slice(digits.length);
    if (rest === '') break;
    if (rest[0] !== ':') throw new AddressMistake('unexpected character, want colon', rest);
    if (rest.length === 1) throw new AddressMistake('colon must be followed by more characters', rest);
    rest = rest.slice(1);
    if (rest[0] === ':') {
      if (gap >= 0) throw new AddressMistake('multiple :: in address', rest);
      gap = groups.length;
      rest = rest.slice(1);
    }
  }
  return withGap(groups, gap);
}

/** An IPv4 address as the last two groups. */
function embedded(text: string, before: number, gap: number): readonly number[] {
  if (gap < 0 && before !== 6)
    throw new AddressMistake('embedded IPv4 address must replace the final 2 fields of the address', text);
  if (before > 6)
    throw new AddressMistake('too many hex fields to fit an embedded IPv4 at the end of the address', text);
  const [a = 0, b = 0, c = 0, d = 0] = parseV4(text);
  return [a * 256 + b, c * 256 + d];
}

function withGap(groups: readonly number[], gap: number): readonly number[] {
  const missing = maxGroups - groups.length;
  if (missing > 0 && gap < 0) throw new AddressMistake('address string too short');
  if (missing === 0 && gap >= 0) throw new AddressMistake('the :: must expand to at least one field of zeros');
  if (gap < 0) return groups;
  return [...groups.slice(0, gap), ...new Array<number>(missing).fill(0), ...groups.slice(gap)];
}
