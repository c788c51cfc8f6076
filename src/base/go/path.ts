/** The shortest lexically equal path, as Go's `path.Clean` returns it. */
export function cleanPath(path: string): string {
  const isRooted = path.startsWith('/');
  const kept: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') kept.push(part);
    else if (kept.length > 0 && kept.at(-1) !== '..') kept.pop();
    else if (!isRooted) kept.push('..');
  }
  return (isRooted ? '/' : '') + kept.join('/') || '.';
}
