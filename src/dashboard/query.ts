/** The parameters of a request, checked. */

/** What is wrong with a request; the message is for its author. */
export class InvalidQuery extends Error {}

export class Query {
  constructor(private readonly parameters: URLSearchParams) {}

  text(name: string): string | undefined {
    const value = this.parameters.get(name);
    if (value === null || value === '') return undefined;
    if (value.length > maxValue) throw new InvalidQuery(`${name} has more than ${maxValue} characters`);
    return value;
  }

  /** Values separated by commas. */
  set(name: string): ReadonlySet<string> | undefined {
    const value = this.text(name);
    return value === undefined ? undefined : new Set(value.split(',').map((one) => one.trim()));
  }

  /** Words, in lower case, each of which must be found. */
  words(name: string): readonly string[] {
    const words = (this.text(name) ?? '').toLowerCase().split(/\s+/);
    return words.filter((word) => word !== '').slice(0, maxWords);
  }

  flag(name: string): boolean | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    if (value !== 'true' && value !== 'false') throw new InvalidQuery(`${name} is true or false`);
    return value === 'true';
  }

  oneOf<T extends string>(name: string, allowed: readonly T[]): T | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    if (!(allowed as readonly string[]).includes(value))
      throw new InvalidQuery(`${name} is one of ${allowed.join(', ')}`);
    return value as T;
  }

  integer(name: string, min: number, max: number): number | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const number = Number(value);
    if (!Number.isInteger(number) || number < min || number > max)
      throw new InvalidQuery(`${name} is a whole number from ${min} to ${max}`);
    return number;
  }

  /** The same filter and order, whatever page of it. */
  get filterKey(): string {
    const kept = [...this.parameters].filter(([name]) => !['cursor', 'offset', 'limit'].includes(name));
    return JSON.stringify(kept.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
  }
}

const maxValue = 2_000;
const maxWords = 8;
