import { integerOf, typeName, type Value } from '../values.ts';
import { type Budget, Flags } from './flags.ts';
import { formatValue } from './print.ts';

const tooLarge = 1_000_000;

/** Go's `fmt.Sprintf`, argument errors included. */
export function printf(format: string, args: readonly Value[], budget: Budget): string {
  return new Formatter(format, args, budget).run();
}

class Formatter {
  private at = 0;
  private argument = 0;
  private reordered = false;
  private goodIndex = true;
  private out = '';

  constructor(
    private readonly format: string,
    private readonly args: readonly Value[],
    private readonly budget: Budget,
  ) {}

  run(): string {
    const { format, args } = this;
    while (this.at < format.length) {
      const percent = format.indexOf('%', this.at);
      this.out += percent === -1 ? format.slice(this.at) : format.slice(this.at, percent);
      if (percent === -1) break;
      this.at = percent + 1;
      if (!this.verb()) break;
      // A width is at most a million, but there can be many.
      if (this.out.length > 1_000_000) this.budget.charge(this.out.length);
    }
    if (!this.reordered && this.argument < args.length) this.out += this.extra();
    return this.out;
  }

  /** One conversion; false when the format ended in it. */
  private verb(): boolean {
    const { format, args } = this;
    this.goodIndex = true;
    const flags = this.flags();
    let afterIndex = this.index();
    if (format[this.at] === '*') {
      this.at++;
      const width = this.fromArgument();
      if (width === undefined) this.out += '%!(BADWIDTH)';
      flags.width = width === undefined ? undefined : Math.abs(width);
      if (width !== undefined && width < 0) {
        flags.minus = true;
        flags.zero = false;
      }
      afterIndex = false;
    } else {
      flags.width = this.number();
      if (afterIndex && flags.width !== undefined) this.goodIndex = false;
    }
    if (format[this.at] === '.' && this.at + 1 < format.length) afterIndex = this.precision(flags, afterIndex);
    if (!afterIndex) this.index();
    if (this.at >= format.length) {
      this.out += '%!(NOVERB)';
      return false;
    }
    const verb = String.fromCodePoint(format.codePointAt(this.at)!);
    this.at += verb.length;
    if (verb === '%') this.out += '%';
    else if (!this.goodIndex) this.out += `%!${verb}(BADINDEX)`;
    else if (this.argument >= args.length) this.out += `%!${verb}(MISSING)`;
    else this.out += this.value(verb, flags);
    return true;
  }

  private value(verb: string, flags: Flags): string {
    if (verb === 'v') {
      flags.sharpV = flags.sharp;
      flags.plusV = flags.plus;
      flags.sharp = false;
      flags.plus = false;
    }
    return formatValue(this.args[this.argument++], verb, flags);
  }

  private flags(): Flags {
    const flags = new Flags(this.budget);
    for (; this.at < this.format.length; this.at++) {
      const c = this.format[this.at];
      if (c === '#') flags.sharp = true;
      else if (c === '0') flags.zero = true;
      else if (c === '+') flags.plus = true;
      else if (c === '-') flags.minus = true;
      else if (c === ' ') flags.space = true;
      else break;
    }
    return flags;
  }

  private precision(flags: Flags, afterIndex: boolean): boolean {
    this.at++;
    if (afterIndex) this.goodIndex = false;
    const indexed = this.index();
    if (this.format[this.at] !== '*') {
      flags.precision = this.number() ?? 0;
      return indexed;
    }
    this.at++;
    const precision = this.fromArgument();
    flags.precision = precision === undefined || precision < 0 ? undefined : precision;
    if (flags.precision === undefined) this.out += '%!(BADPREC)';
    return false;
  }

  /** `[3]`: the next operand is the third. */
  private index(): boolean {
    if (this.format[this.at] !== '[') return false;
    this.reordered = true;
    const close = this.format.indexOf(']', this.at);
    const rest = this.format.length - this.at;
    if (close === -1 || rest < 3) {
      this.goodIndex = false;
      this.at++;
      return false;
    }
    const inner = this.format.slice(this.at + 1, close);
    this.at = close + 1;
    const isNumber = /^\d+$/.test(inner) && inner.length <= 7;
    const wanted = Number(inner) - 1;
    if (isNumber && wanted >= 0 && wanted < this.args.length) {
      this.argument = wanted;
      return true;
    }
    this.goodIndex = false;
    return isNumber;
  }

  private number(): number | undefined {
    const start = this.at;
    while (isDigit(this.format.charCodeAt(this.at))) {
      if (Number(this.format.slice(start, this.at)) > tooLarge) {
        this.at = this.format.length;
        return undefined;
      }
      this.at++;
    }
    return this.at === start ? undefined : Number(this.format.slice(start, this.at));
  }

  private fromArgument(): number | undefined {
    if (this.argument >= this.args.length) return undefined;
    const integer = integerOf(this.args[this.argument++]);
    if (integer === undefined || integer > tooLarge || integer < -tooLarge) return undefined;
    return Number(integer);
  }

  private extra(): string {
    const rest = this.args.slice(this.argument).map((value) => {
      if (value === null || value === undefined) return '<nil>';
      return `${typeName(value)}=${formatValue(value, 'v', new Flags(this.budget))}`;
    });
    return `%!(EXTRA ${rest.join(', ')})`;
  }
}

const isDigit = (code: number) => code >= 0x30 && code <= 0x39;
