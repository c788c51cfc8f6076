import {
  checkRequirement,
  compileRequirements,
  invalid,
  type LabelMatcher,
  type LabelOperator,
  type LabelRequirement,
  SelectorError,
} from './label-requirement.ts';
import { validateLabelKey } from './names.ts';

/** Compiles `app in (a, b), tier!=web, !legacy`: the grammar of `kubectl -l`. The empty text selects everything. */
export function parseLabelSelector(text: string): LabelMatcher {
  return compileRequirements(parseLabelRequirements(text));
}

/** The same as data, to index or print a selector. */
export function parseLabelRequirements(text: string): readonly LabelRequirement[] {
  return new SelectorParser(tokenize(text)).requirements();
}

/** `spec.selector` of a Deployment, `namespaceSelector` of a webhook. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>> | null;
  readonly matchExpressions?: readonly LabelSelectorRequirement[] | null;
}
interface LabelSelectorRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[] | null;
}

const objectOperators: ReadonlyMap<string, LabelOperator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
]);

/** Compiles a selector object: an absent one selects nothing, an empty one everything. */
export function labelSelectorOf(selector: LabelSelector | null | undefined): LabelMatcher {
  if (selector === null || selector === undefined) return () => false;
  return compileRequirements(labelRequirementsOf(selector));
}

function labelRequirementsOf(selector: LabelSelector): readonly LabelRequirement[] {
  const requirements: LabelRequirement[] = [];
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    requirements.push({ key, operator: '=', values: [value] });
  }
  for (const { key, operator, values } of selector.matchExpressions ?? []) {
    const known = objectOperators.get(operator);
    if (!known) {
      throw new SelectorError(
        'object-selector-invalid',
        `${JSON.stringify(operator)} is not a valid label selector operator`,
      );
    }
    requirements.push({ key, operator: known, values: values ?? [] });
  }
  for (const requirement of requirements) checkRequirement(requirement);
  return requirements;
}

interface Token {
  readonly kind: 'word' | 'symbol' | 'end' | 'error';
  readonly text: string;
}

const token = /[ \t\r\n]*(?:([=!(),<>]+)|([^=!(),<> \t\r\n]+))/y;
const symbols = ['==', '!=', '=', '!', '(', ')', ',', '>', '<'];

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  token.lastIndex = 0;
  for (let found = token.exec(text); found; found = token.exec(text)) {
    const [, run, word] = found;
    if (word !== undefined) {
      tokens.push({ kind: 'word', text: word });
      continue;
    }
    // A run of symbols is split one operator at a time: `),` is two tokens.
    const symbol = symbols.find((candidate) => run!.startsWith(candidate)) ?? '';
    tokens.push({ kind: 'symbol', text: symbol });
    token.lastIndex -= run!.length - symbol.length;
  }
  tokens.push({ kind: 'end', text: '' });
  return tokens;
}

const binary: ReadonlyMap<string, LabelOperator> = new Map([
  ['in', 'in'],
  ['notin', 'notin'],
  ['=', '='],
  ['==', '=='],
  ['!=', '!='],
  ['>', 'gt'],
  ['<', 'lt'],
]);

class SelectorParser {
  private at = 0;
  constructor(private readonly tokens: readonly Token[]) {}

  requirements(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    if (this.isNext('end')) return requirements;
    if (!this.isNext('word') && !this.isNext('symbol', '!')) {
      return this.fail("expected: !, identifier, or 'end of string'");
    }
    for (;;) {
      requirements.push(this.requirement());
      if (this.isNext('end')) return requirements;
      if (!this.take(',')) this.fail("expected: ',' or 'end of string'");
      if (!this.isNext('word') && !this.isNext('symbol', '!')) this.fail("expected: identifier after ','");
    }
  }

  private requirement(): LabelRequirement {
    try {
      const isNegated = this.take('!');
      const key = this.word('expected: identifier');
      const issues = validateLabelKey(key);
      if (issues.length > 0)
        throw new SelectorError('object-selector-invalid', invalid('<nil>', key, issues.join('; ')));
      if (isNegated) return { key, operator: '!', values: [] };
      if (this.isNext('end') || this.isNext('symbol', ',')) return { key, operator: 'exists', values: [] };
      const operator = binary.get(this.next.text);
      if (operator === undefined) return this.fail('expected: in, notin, =, ==, !=, gt, lt');
      this.at++;
      const values = operator === 'in' || operator === 'notin' ? this.valueSet() : [this.exactValue()];
      const requirement = { key, operator, values };
      checkRequirement(requirement);
      return requirement;
    } catch (thrown) {
      if (!(thrown instanceof SelectorError)) throw thrown;
      throw new SelectorError(thrown.code, `unable to parse requirement: ${thrown.message}`);
    }
  }

  /** `(a, b)`; a missing value between commas is the empty value. */
  private valueSet(): string[] {
    if (!this.take('(')) this.fail("expected: '('", ' ');
    const values = new Set<string>();
    const [first, later] = ["expected: ',', ')' or identifier", "expected: ',', or identifier"];
    for (;;) {
      const isEmpty = this.isNext('symbol', ',') || this.isNext('symbol', ')');
      values.add(isEmpty ? '' : this.word(values.size === 0 ? first : later));
      if (this.take(')')) return [...values].sort();
      if (!this.take(',')) this.fail("expected: ',' or ')'");
    }
  }

  private exactValue(): string {
    if (this.isNext('end') || this.isNext('symbol', ',')) return '';
    return this.word('expected: identifier');
  }

  private word(expected: string): string {
    if (!this.isNext('word')) this.fail(expected);
    return this.tokens[this.at++]!.text;
  }

  private take(symbol: string): boolean {
    if (!this.isNext('symbol', symbol)) return false;
    this.at++;
    return true;
  }

  private get next(): Token {
    return this.tokens[this.at]!;
  }

  private isNext(kind: Token['kind'], text?: string): boolean {
    return this.next.kind === kind && (text === undefined || this.next.text === text);
  }

  private fail(expected: string, separator = ', '): never {
    throw new SelectorError('object-selector-invalid', `found '${this.next.text}'${separator}${expected}`);
  }
}
