import { isJsonObject, SupercargoError } from '../base/index.ts';
import type { ExpressionLanguage } from './expression-language.ts';

const openers = '([{';
const closers = ')]}';

/**
 * The ways to go on at the end of a line, with the part of the line that they replace. The fields of what stands before a
 * dot are found by evaluating it on the document.
 */
export function completeExpression(
  language: ExpressionLanguage,
  line: string,
  document: unknown,
): { readonly candidates: readonly string[]; readonly replaced: string } {
  const replaced = /[A-Za-z_]\w*$/.exec(line)?.[0] ?? '';
  const before = line.slice(0, line.length - replaced.length);
  const receiver = /\.\??$/.exec(before);
  const { type, fields } =
    receiver === null ? nothing : receiverOf(language, trailingOperand(before.slice(0, receiver.index)), document);
  const names =
    receiver === null
      ? [...language.variables(document), ...callsOf(language, ({ isGlobal }) => isGlobal)]
      : [
          ...fields,
          ...callsOf(language, ({ receivers }) =>
            type === 'dyn' ? receivers.length > 0 : receivers.some((one) => one === type || one === 'dyn'),
          ),
        ];
  return { candidates: [...new Set(names)].filter((name) => name.startsWith(replaced)), replaced };
}

type LanguageFunction = ExpressionLanguage['functions'][number];

const callsOf = ({ functions }: ExpressionLanguage, isWanted: (one: LanguageFunction) => boolean) =>
  functions.filter(isWanted).map(({ name }) => `${name}(`);

interface Receiver {
  /** `dyn` where nothing is known. */
  readonly type: string;
  readonly fields: readonly string[];
}

const nothing: Receiver = { type: 'dyn', fields: [] };

function receiverOf(language: ExpressionLanguage, operand: string, document: unknown): Receiver {
  if (operand === '') return nothing;
  try {
    const expression = language.compile(operand);
    const { value } = expression.evaluate(document);
    const declared = /^[^(]*/.exec(expression.type ?? 'dyn')?.[0] ?? 'dyn';
    // A dot after a list goes on with each of its elements in JMESPath.
    const seen = Array.isArray(value) && language.name === 'jp' ? value[0] : value;
    return {
      type: declared === 'dyn' ? typeOf(value) : declared,
      fields: isJsonObject(seen) ? Object.keys(seen).filter((key) => /^[A-Za-z_]\w*$/.test(key)) : [],
    };
  } catch (thrown) {
    // Nothing is known of what stands before the dot while it is not an expression.
    if (thrown instanceof SupercargoError) return nothing;
    throw thrown;
  }
}

/** The name of the CEL type of a JSON value. */
function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'list';
  if (isJsonObject(value)) return 'map';
  return typeof value === 'string' ? 'string' : 'dyn';
}

/** The operand that ends the text: a chain of names, calls and indexes. */
function trailingOperand(text: string): string {
  let depth = 0;
  let start = text.length;
  for (; start > 0; start--) {
    const character = text.charAt(start - 1);
    if (closers.includes(character)) depth++;
    else if (openers.includes(character)) {
      if (depth === 0) break;
      depth--;
    } else if (depth === 0 && !/[\w.?$@"'`*]/.test(character)) break;
  }
  return text.slice(start);
}

/** Whether a bracket is still open at the end of the text, outside quotes. */
export function isIncomplete(text: string): boolean {
  let depth = 0;
  let quote = '';
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i);
    if (quote !== '') {
      if (character === '\\') i++;
      else if (character === quote) quote = '';
    } else if ('\'"`'.includes(character)) quote = character;
    else if (openers.includes(character)) depth++;
    else if (closers.includes(character)) depth--;
  }
  return depth > 0;
}
