import { type CallNode, childrenOf, type ListNode, type MapNode, type Node } from '../ast.ts';
import { FormatError, parseFormat, refusals } from '../functions/format.ts';
import { compileRegex } from '../functions/text.ts';
import type { Source } from '../source.ts';
import { type CelType, renderType, sameType, unwrapOptional } from '../types.ts';
import { parseCelDuration, parseTimestamp, timestampOf } from '../values/time.ts';
import { CelError, isInt } from '../values/values.ts';
import type { Checked } from './checker.ts';

const parsers: Readonly<Record<string, (value: unknown) => unknown>> = {
  duration: (value) => (typeof value === 'string' ? parseCelDuration(value) : value),
  timestamp: (value) => {
    if (typeof value === 'string') return parseTimestamp(value);
    return isInt(value) ? timestampOf(Number(value), 0) : value;
  },
  matches: (value) => (typeof value === 'string' ? compileRegex(value) : value),
};

/**
 * What Kubernetes checks beyond types: literal durations, timestamps, regular expressions and formats, and that the
 * elements of a list or map that is written have exactly one type.
 */
export function validateLiterals(checked: Checked, source: Source): void {
  new LiteralValidator(checked, source).visit(checked.root, false);
}

class LiteralValidator {
  constructor(
    private readonly checked: Checked,
    private readonly source: Source,
  ) {}

  /** `isFree`: inside of arguments that may be mixed. */
  visit(node: Node, isFree: boolean): void {
    if (node.kind === 'call') this.visitCall(node);
    else if (node.kind === 'list' && !isFree) this.visitList(node);
    else if (node.kind === 'map' && !isFree) this.visitMap(node);
    const free = isFree || (node.kind === 'call' && node.name === 'format');
    for (const child of childrenOf(node)) this.visit(child, free);
  }

  private visitCall(node: CallNode): void {
    if (!this.checked.calls.has(node.id)) return;
    const { name, args, target } = node;
    const parse = Object.hasOwn(parsers, name) ? parsers[name] : undefined;
    // Of `matches` as a function, Kubernetes takes the text for the pattern.
    if (parse) this.visitText(name, args[0], parse);
    const [list] = args;
    if (name === 'format' && target?.kind === 'literal' && list?.kind === 'list') {
      this.visitFormat(node, String(target.value), list);
    }
  }

  private visitText(name: string, node: Node | undefined, parse: (value: unknown) => unknown): void {
    if (node?.kind !== 'literal') return;
    if (parse(node.value) instanceof CelError) this.source.report(node.offset, `invalid ${name} argument`);
  }

  private visitList({ items }: ListNode): void {
    let wanted: CelType | undefined;
    for (const { value, isOptional } of items) {
      const type = this.typeOf(value, isOptional);
      wanted ??= type;
      if (sameType(wanted, type)) continue;
      this.mismatch(value, wanted, type);
      return;
    }
  }

  private visitMap({ entries }: MapNode): void {
    const [first] = entries;
    if (!first) return;
    const key = this.typeOf(first.key, false);
    const value = this.typeOf(first.value, first.isOptional);
    for (const entry of entries) {
      const keyType = this.typeOf(entry.key, false);
      const valueType = this.typeOf(entry.value, entry.isOptional);
      if (!sameType(key, keyType)) this.mismatch(entry.key, key, keyType);
      if (!sameType(value, valueType)) this.mismatch(entry.value, value, valueType);
    }
  }

  private visitFormat(node: CallNode, text: string, { items }: ListNode): void {
    let used = 0;
    try {
      for (const part of parseFormat(text, items.length, true)) {
        if (typeof part === 'string') continue;
        const item = items[used];
        const bad = item && this.refuses(part.letter, item.value);
        if (bad !== undefined) {
          const why = refusals[part.letter]?.replace('%s', bad.type.name) ?? '';
          this.source.report(bad.node.offset, `error during formatting: ${why}`);
          return;
        }
        used++;
      }
    } catch (thrown) {
      if (!(thrown instanceof FormatError)) throw thrown;
      this.source.report(node.offset, thrown.message);
      return;
    }
    if (items.length <= used) return;
    const counts = `(expected ${used}, got ${items.length})`;
    this.source.report(node.offset, `too many arguments supplied to string.format ${counts}`);
  }

  /** The argument, or what is in it, whose type a clause cannot write. */
  private refuses(letter: string, node: Node): { node: Node; type: CelType } | undefined {
    const type = this.checked.typeOf(node);
    if (type.kind !== 'dyn' && !accepted[letter]?.includes(type.kind)) return { node, type };
    if (letter !== 's' || (node.kind !== 'list' && node.kind !== 'map')) return undefined;
    for (const child of childrenOf(node)) {
      const bad = this.refuses(letter, child);
      if (bad) return bad;
    }
    return undefined;
  }

  private typeOf(node: Node, isOptional: boolean): CelType {
    const type = this.checked.typeOf(node);
    return isOptional ? unwrapOptional(type) : type;
  }

  private mismatch({ offset }: Node, wanted: CelType, found: CelType): void {
    this.source.report(offset, `expected type '${renderType(wanted)}' but found '${renderType(found)}'`);
  }
}

const accepted: Readonly<Record<string, readonly CelType['kind'][]>> = {
  s: 'list map int uint double bool string timestamp bytes duration type null'.split(' ') as CelType['kind'][],
  d: ['int', 'uint'],
  f: ['double', 'string'],
  e: ['double', 'string'],
  b: ['int', 'uint', 'bool'],
  x: ['int', 'uint', 'string', 'bytes'],
  X: ['int', 'uint', 'string', 'bytes'],
  o: ['int', 'uint'],
};
