/** The URL of the next page from a Link header (RFC 8288). Relative URLs are resolved. */
export function nextPage(header: string | readonly string[] | undefined, base: URL): URL | undefined {
  const text = typeof header === 'string' ? header : (header?.join(', ') ?? '');
  for (const [, target = '', parameters = ''] of text.slice(0, 16_384).matchAll(/<([^>]*)>((?:\s*;[^,<]*)*)/g)) {
    if (!/;\s*rel\s*=\s*"?(?:[^"]*\s)?next(?:\s|"|;|$)/i.test(parameters)) continue;
    return URL.canParse(target, base.href) ? new URL(target, base) : undefined;
  }
  return undefined;
}
