export type Range = 'whole' | 'unsatisfiable' | { readonly start: number; readonly end: number };

/** One byte range of RFC 9110. What is no such range is ignored, as the RFC asks; several ranges are not offered. */
export function parseRange(header: string | undefined, size: number): Range {
  const found = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '');
  if (!found || (found[1] === '' && found[2] === '')) return 'whole';
  const [first, last] = [found[1] ?? '', found[2] ?? ''];
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return 'whole';
  return start >= size ? 'unsatisfiable' : { start, end };
}
