type Range = 'whole' | 'unsatisfiable' | { readonly start: number; readonly end: number };

/** One byte range of RFC 9110. Other headers are ignored, as the RFC requires; several ranges are not supported. */
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
