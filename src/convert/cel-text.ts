const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', "'": "\\'", '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** A string literal. */
export const quote = (text: string): string => `'${text.replace(/[\\'\n\r\t]/g, (one) => escapes[one] as string)}'`;

/** The literal of a scalar or of a list of scalars. */
export function literal(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  return String(value);
}

export const hasWildcard = (text: string) => /[*?]/.test(text);

/** RE2 for a text with `*` and `?`. */
export function wildcardRegex(patterns: readonly string[]): string {
  const bodies = patterns.map((pattern) =>
    pattern
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.'),
  );
  const [only = ''] = bodies;
  return `(?s)^${bodies.length === 1 ? only : `(?:${bodies.join('|')})`}$`;
}

/** Whether a text matches a pattern with wildcards: with the plainest function that says so. */
export function wildcardTest(text: string, pattern: string): string {
  const inner = pattern.slice(1, -1);
  if (!hasWildcard(pattern)) return `${text} == ${quote(pattern)}`;
  if (pattern === '?*' || pattern === '*?') return `${text} != ''`;
  if (pattern.endsWith('*') && !hasWildcard(pattern.slice(0, -1)))
    return `${text}.startsWith(${quote(pattern.slice(0, -1))})`;
  if (pattern.startsWith('*') && !hasWildcard(pattern.slice(1))) return `${text}.endsWith(${quote(pattern.slice(1))})`;
  if (pattern.startsWith('*') && pattern.endsWith('*') && pattern.length > 2 && !hasWildcard(inner))
    return `${text}.contains(${quote(inner)})`;
  return `${text}.matches(${quote(wildcardRegex([pattern]))})`;
}

const keywords: ReadonlySet<string> = new Set(['true', 'false', 'null', 'in']);

/** Whether a field can be selected with a dot. */
export const isSelectable = (key: string) => /^[A-Za-z_]\w*$/.test(key) && !keywords.has(key);
