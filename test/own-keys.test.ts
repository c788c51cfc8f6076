import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/**
 * `Object.assign` and `o[key] = value` lose a key `__proto__`. For keys that come from outside, `setOwn` and
 * `assignOwn` of base are used. The list counts the assignments with a computed key that stood when it was made: most are
 * to lists, to typed arrays or to keys of our own. It keeps new ones from being added unseen.
 */
const assigning: Readonly<Record<string, number>> = JSON.parse(
  readFileSync(join(import.meta.dirname, 'own-keys.json'), 'utf8'),
);

const losing =
  /Object\.assign\(|[\w)\]!]\[(?!['"\d\]])[^\]=]*(?:\[[^\]]*\][^\]=]*)*\]!?\)?\s*(?:\?\?|\|\||&&|\+|-)?=(?![=>])/g;

test('no file assigns computed keys beyond those that were looked at', () => {
  const root = join(import.meta.dirname, '..');
  const found: Record<string, number> = {};
  for (const entry of readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })) {
    const path = `src/${entry.replaceAll('\\', '/')}`;
    if (!path.endsWith('.ts') || path.endsWith('.test.ts') || path.includes('/testing/')) continue;
    const code = readFileSync(join(root, path), 'utf8').replaceAll(/^\s*(?:\/\/|\*|\/\*\*).*$/gm, '');
    const count = code.match(losing)?.length ?? 0;
    if (count > 0) found[path] = count;
  }
  // More than before in a file: use setOwn, or raise its number after making sure that no key is foreign.
  const more = Object.entries(found).filter(([path, count]) => count > (assigning[path] ?? 0));
  expect(more).toEqual([]);
});
