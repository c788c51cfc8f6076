/** The images of the containers that a detail says must do something; nothing where it names none. */
export function imagesOf(detail: string, imageOf: (name: string) => string | undefined): readonly string[] | undefined {
  const names = namesIn(detail);
  if (names === undefined) return undefined;
  return names
    .replace(/[" ]/g, '')
    .split(',')
    .map((name) => imageOf(name) ?? name);
}

/** What stands between `container(s)` and `must` on one line, first found. */
function namesIn(detail: string): string | undefined {
  const word = 'container';
  for (let at = detail.indexOf(word); at !== -1; at = detail.indexOf(word, at + 1)) {
    const start = at + word.length + (detail[at + word.length] === 's' ? 1 : 0);
    const end = detail.indexOf('must', start);
    if (end === -1) return undefined;
    const names = detail.slice(start, end).trim();
    if (!names.includes('\n')) return names;
  }
  return undefined;
}
