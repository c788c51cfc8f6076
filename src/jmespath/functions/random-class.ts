export type Range = readonly [from: number, to: number];

const digit: Range = [0x30, 0x39];
const upper: Range = [0x41, 0x5a];
const lower: Range = [0x61, 0x7a];
const underscore: Range = [0x5f, 0x5f];
const spaces: Range[] = [
  [0x09, 0x0a],
  [0x0c, 0x0d],
  [0x20, 0x20],
];

const named: Readonly<Record<string, readonly Range[]>> = {
  alnum: [digit, upper, lower],
  alpha: [upper, lower],
  ascii: [[0, 0x7f]],
  blank: [
    [0x09, 0x09],
    [0x20, 0x20],
  ],
  cntrl: [
    [0, 0x1f],
    [0x7f, 0x7f],
  ],
  digit: [digit],
  graph: [[0x21, 0x7e]],
  lower: [lower],
  print: [[0x20, 0x7e]],
  punct: [
    [0x21, 0x2f],
    [0x3a, 0x40],
    [0x5b, 0x60],
    [0x7b, 0x7e],
  ],
  space: [
    [0x09, 0x0d],
    [0x20, 0x20],
  ],
  upper: [upper],
  word: [digit, upper, lower, underscore],
  xdigit: [digit, [0x41, 0x46], [0x61, 0x66]],
};

export function namedClass(name: string, isNegated: boolean): Range[] {
  const ranges = [...((Object.hasOwn(named, name) ? named[name] : undefined) ?? [])];
  return isNegated ? complement(ranges) : ranges;
}

/** `\d`, `\w`, `\s` and their opposites; undefined for any other letter. */
export function perlClass(letter: string): Range[] | undefined {
  const ranges = { d: [digit], w: [digit, upper, underscore, lower], s: spaces }[letter.toLowerCase()];
  if (ranges === undefined) return undefined;
  return letter === letter.toLowerCase() ? ranges : complement(ranges);
}

/** What is left of printable ASCII; of all of Unicode only where the ranges cover ASCII whole. */
export function complement(ranges: readonly Range[]): Range[] {
  const ascii = subtract([[0x20, 0x7e]], ranges);
  // Surrogates are no characters.
  return ascii.length > 0
    ? ascii
    : subtract(
        [
          [0x80, 0xd7ff],
          [0xe000, 0xfffd],
        ],
        ranges,
      );
}

function subtract(from: readonly Range[], ranges: readonly Range[]): Range[] {
  let left = [...from];
  for (const [start, end] of ranges) {
    left = left.flatMap(([a, b]): Range[] => {
      if (end < a || start > b) return [[a, b]];
      return [[a, start - 1] as Range, [end + 1, b] as Range].filter(([x, y]) => x <= y);
    });
  }
  return left;
}
