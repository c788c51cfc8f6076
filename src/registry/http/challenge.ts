/** One challenge of a WWW-Authenticate header: the scheme in lower case, and its parameters. */
export interface Challenge {
  readonly scheme: string;
  readonly parameters: Readonly<Record<string, string>>;
}

const maxHeaderLength = 8192;

/** Parses every challenge of a header (RFC 9110, 11.6.1). The list ends at the first syntax error. */
export function parseChallenges(header: string): Challenge[] {
  const text = header.slice(0, maxHeaderLength);
  const challenges: { scheme: string; parameters: Record<string, string> }[] = [];
  const token = /[!#$%&'*+.^_`|~0-9A-Za-z-]+/y;
  const parameter = /([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*))/y;
  const gap = /[\s,]*/y;
  let at = 0;
  const match = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) at = pattern.lastIndex;
    return found;
  };
  while (at < text.length) {
    match(gap);
    const pair = match(parameter);
    if (pair) {
      const [, name = '', quoted, plain] = pair;
      const current = challenges.at(-1);
      if (current) current.parameters[name.toLowerCase()] = quoted?.replace(/\\(.)/g, '$1') ?? plain ?? '';
      continue;
    }
    const scheme = match(token);
    if (!scheme) break;
    challenges.push({ scheme: scheme[0].toLowerCase(), parameters: {} });
  }
  return challenges;
}
