import type { Schema } from '../../../schema/index.ts';
import { Path } from '../path.ts';

const escapes: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  "'": "'",
  '\\': '\\',
};

const step = /\.([^.[\]]+)|\['((?:[^'\\]|\\.)*)'\]/y;

/** The place that a rule's `fieldPath` names below its own; undefined where it does not fit the schema. */
export function resolveFieldPath(text: string, schema: Schema): ((from: Path | undefined) => Path) | undefined {
  const steps: { readonly name: string; readonly isField: boolean }[] = [];
  let current: Schema | undefined = schema;
  let at = 0;
  while (at < text.length) {
    step.lastIndex = at;
    const found = step.exec(text);
    if (!found || !current) return undefined;
    const name = found[1] ?? unquote(found[2] as string);
    if (name === undefined) return undefined;
    steps.push({ name, isField: current.properties !== undefined });
    current = below(current, name);
    if (!current) return undefined;
    at = step.lastIndex;
  }
  return (from) =>
    steps.reduce<Path | undefined>((path, { name, isField }) => {
      if (!path) return Path.of(name);
      return isField ? path.child(name) : path.key(name);
    }, from) as Path;
}

function below({ properties, additionalProperties }: Schema, name: string): Schema | undefined {
  if (properties) return properties[name];
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

function unquote(text: string): string | undefined {
  let isValid = true;
  const plain = text.replace(/\\(.)/g, (_, letter: string) => {
    const found = escapes[letter];
    if (found === undefined) isValid = false;
    return found ?? '';
  });
  return isValid ? plain : undefined;
}
