/** True when `*` (any text) and `?` (any one character) in the pattern can be filled to give the text. Never backtracks
 * further than to the last star, so the time is bounded by the product of the lengths. */
export function matchesWildcard(pattern: string, text: string): boolean {
  if (pattern === '*') return true;
  if (!pattern.includes('*') && !pattern.includes('?')) return pattern === text;
  return pattern.includes('?') && hasSurrogates(text) ? match([...pattern], [...text]) : match(pattern, text);
}

function match(pattern: ArrayLike<string>, text: ArrayLike<string>): boolean {
  let p = 0;
  let t = 0;
  let star = -1;
  let resume = 0;
  while (t < text.length) {
    if (p < pattern.length && pattern[p] === '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === text[t])) {
      p++;
      t++;
    } else if (star !== -1) {
      p = star + 1;
      t = ++resume;
    } else return false;
  }
  while (p < pattern.length && pattern[p] === '*') p++;
  return p === pattern.length;
}

function hasSurrogates(text: string): boolean {
  return /[\ud800-\udfff]/.test(text);
}
