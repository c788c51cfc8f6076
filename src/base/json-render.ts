/**
 * `JSON.stringify` for the values it rejects: bigints, and nesting that overflows its stack. Uses an explicit stack
 * instead of recursion, so any depth that was parsed can be written.
 */
export function renderAnyJson(value: unknown, indent = 0): string {
  let out = '';
  const stack: Open[] = [];
  const newline = () => (indent > 0 ? `\n${' '.repeat(indent * stack.length)}` : '');
  const begin = (given: unknown): void => {
    const plain = plainOf(given);
    if (typeof plain !== 'object' || plain === null) {
      out += typeof plain === 'bigint' ? plain : (JSON.stringify(plain) ?? 'null');
      return;
    }
    const isList = Array.isArray(plain);
    const fields = plain as Readonly<Record<string, unknown>>;
    const keys = isList
      ? plain.keys()
      : Object.keys(fields)
          .filter((key) => isWritten(fields[key]))
          .values();
    out += isList ? '[' : '{';
    stack.push({ keys, values: plain as Record<string | number, unknown>, isList, isEmpty: true });
  };
  begin(value);
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const { done, value: key } = top.keys.next();
    if (done) {
      stack.pop();
      out += `${top.isEmpty ? '' : newline()}${top.isList ? ']' : '}'}`;
      continue;
    }
    out += `${top.isEmpty ? '' : ','}${newline()}`;
    top.isEmpty = false;
    if (!top.isList) out += `${JSON.stringify(key)}:${indent > 0 ? ' ' : ''}`;
    begin(top.values[key]);
  }
  return out;
}

interface Open {
  readonly keys: Iterator<string | number>;
  readonly values: Readonly<Record<string | number, unknown>>;
  readonly isList: boolean;
  isEmpty: boolean;
}

function plainOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { toJSON } = value as { readonly toJSON?: unknown };
  return typeof toJSON === 'function' ? toJSON.call(value) : value;
}

const isWritten = (value: unknown) => value !== undefined && typeof value !== 'function' && typeof value !== 'symbol';
