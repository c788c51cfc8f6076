/** Beyond these a text is an exception, and not worth keeping. */
const maxEntries = 128;
const maxLength = 256;

/**
 * A function of a text that keeps what it gave last: policies meet the same names, images and quantities again and
 * again. Only for functions whose result is never changed.
 */
export function remembering<T>(work: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const result = work(text);
    if (text.length > maxLength) return result;
    if (known.size >= maxEntries) known.clear();
    known.set(text, result);
    return result;
  };
}
