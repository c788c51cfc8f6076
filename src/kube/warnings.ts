import type { Logger } from '../base/index.ts';

const maxRemembered = 500;

/** Logs each text of a `Warning` header once: a deprecated version would otherwise fill the log. */
export function createWarningLog(log: Logger): (header: string | readonly string[]) => void {
  const seen = new Set<string>();
  return (header) => {
    for (const text of parseWarnings(header)) {
      if (seen.has(text)) continue;
      if (seen.size >= maxRemembered) seen.clear();
      seen.add(text);
      log.warn('the API server warns', { warning: text });
    }
  };
}

/** The texts of `299 - "text"` values (RFC 7234 5.5), several per header. */
function parseWarnings(header: string | readonly string[]): string[] {
  const texts: string[] = [];
  for (const value of typeof header === 'string' ? [header] : header) {
    for (const [, quoted] of value.matchAll(/\b299 \S+ "((?:[^"\\]|\\.)*)"/g)) {
      if (quoted !== undefined) texts.push(quoted.replace(/\\(.)/g, '$1'));
    }
  }
  return texts;
}
