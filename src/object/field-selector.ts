import { SelectorError } from './label-requirement.ts';

interface FieldRequirement {
  /** As written, `metadata.name`: the caller decides which fields exist. */
  readonly path: string;
  readonly op: '=' | '!=';
  readonly value: string;
}

/** Reads fields through `get`; an absent field is the empty string, as in the API server. */
type FieldMatcher = (get: (path: string) => string | undefined) => boolean;

interface FieldSelector {
  readonly requirements: readonly FieldRequirement[];
  readonly matches: FieldMatcher;
}

/** Parses `metadata.name=a,spec.nodeName!=b`. In values `\\`, `\,` and `\=` are escapes. */
export function parseFieldSelector(text: string): FieldSelector {
  const requirements: FieldRequirement[] = [];
  for (const term of splitTerms(text)) {
    if (term === '') continue;
    const found = /!=|==?/.exec(term);
    if (!found) {
      throw new SelectorError(
        'object-field-selector-invalid',
        `invalid selector: '${text}'; can't understand '${term}'`,
      );
    }
    requirements.push({
      path: term.slice(0, found.index),
      op: found[0] === '!=' ? '!=' : '=',
      value: unescapeValue(term.slice(found.index + found[0].length)),
    });
  }
  return { requirements, matches: compileFields(requirements) };
}

/** Escapes any text for use as a value of a field selector. */
export function escapeFieldValue(value: string): string {
  return value.replace(/[\\,=]/g, '\\$&');
}

function compileFields(requirements: readonly FieldRequirement[]): FieldMatcher {
  return (get) => requirements.every(({ path, op, value }) => ((get(path) ?? '') === value) === (op === '='));
}

function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === ',') {
      terms.push(text.slice(start, i));
      start = i + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

function unescapeValue(value: string): string {
  let result = '';
  for (let i = 0; i < value.length; i++) {
    const c = value[i]!;
    if (c === ',' || c === '=') {
      // The API server prints the character's code point here.
      throw new SelectorError(
        'object-field-selector-invalid',
        `invalid field selector: unescaped character in value: ${c.codePointAt(0)}`,
      );
    }
    if (c !== '\\') {
      result += c;
      continue;
    }
    const escaped = value[++i];
    if (escaped === undefined || !'\\,='.includes(escaped)) {
      throw new SelectorError(
        'object-field-selector-invalid',
        `invalid field selector: invalid escape sequence: \\${escaped ?? ''}`,
      );
    }
    result += escaped;
  }
  return result;
}
