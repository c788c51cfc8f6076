import { CallFailure } from '../errors.ts';

/** Digits after the point that a division keeps. */
const divisionPrecision = 16;

/** A number as its shortest decimal text says it: 0.1 + 0.2 is 0.3. */
export class Decimal {
  private constructor(
    private readonly coefficient: bigint,
    /** The value is coefficient * 10^exponent. */
    private readonly exponent: number,
  ) {}

  static from(value: number): Decimal {
    if (!Number.isFinite(value)) throw new CallFailure(`Cannot create a Decimal from ${value}`);
    const [mantissa, exponent] = value.toExponential().split('e') as [string, string];
    const [whole, fraction = ''] = mantissa.split('.') as [string, string?];
    return new Decimal(BigInt(whole + fraction), Number(exponent) - fraction.length);
  }

  plus(other: Decimal): Decimal {
    const exponent = Math.min(this.exponent, other.exponent);
    return new Decimal(this.at(exponent) + other.at(exponent), exponent);
  }

  minus(other: Decimal): Decimal {
    return this.plus(new Decimal(-other.coefficient, other.exponent));
  }

  times(other: Decimal): Decimal {
    return new Decimal(this.coefficient * other.coefficient, this.exponent + other.exponent);
  }

  dividedBy(other: Decimal): Decimal {
    if (other.coefficient === 0n) throw new CallFailure('decimal division by 0');
    const shift = this.exponent - other.exponent + divisionPrecision;
    const numerator = shift > 0 ? this.coefficient * 10n ** BigInt(shift) : this.coefficient;
    const denominator = shift < 0 ? other.coefficient * 10n ** BigInt(-shift) : other.coefficient;
    const quotient = numerator / denominator;
    const rest = abs(numerator % denominator) * 2n;
    const isNegative = numerator < 0n !== denominator < 0n;
    const rounded = rest < abs(denominator) ? quotient : quotient + (isNegative ? -1n : 1n);
    return new Decimal(rounded, -divisionPrecision);
  }

  toNumber(): number {
    return Number(`${this.coefficient}e${this.exponent}`);
  }

  private at(exponent: number): bigint {
    return this.coefficient * 10n ** BigInt(this.exponent - exponent);
  }
}

const abs = (value: bigint) => (value < 0n ? -value : value);
