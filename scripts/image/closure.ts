import type { DebianPackage } from './lock.ts';

/** The fields of a package in apt's list that the image builder reads. */
export interface PackageRecord extends DebianPackage {
  readonly depends: readonly string[];
}

/**
 * Reads the output of `apt-cache show`. A dependency with alternatives counts as the first of them; versions are left to
 * the archive, which is consistent in itself.
 */
export function parseRecords(output: string): readonly PackageRecord[] {
  return output
    .split(/\n\n+/)
    .map((paragraph) => new Map(paragraph.split(/\n(?! )/).map(fieldOf)))
    .filter((fields) => fields.has('Package'))
    .map((fields) => ({
      name: fields.get('Package')!,
      version: fields.get('Version') ?? '',
      sha256: fields.get('SHA256') ?? '',
      depends: [fields.get('Pre-Depends'), fields.get('Depends')].flatMap((list) =>
        (list ?? '')
          .split(',')
          .map((one) => /^[^\s|:(]+/.exec(one.trim())?.[0] ?? '')
          .filter((name) => name !== ''),
      ),
    }));
}

function fieldOf(line: string): readonly [string, string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon), line.slice(colon + 1).trim()];
}

/** The packages and all they need, without those left out and what only those need; sorted by name. */
export async function closureOf(
  roots: readonly string[],
  excluded: ReadonlySet<string>,
  show: (names: readonly string[]) => Promise<readonly PackageRecord[]>,
): Promise<readonly DebianPackage[]> {
  const found = new Map<string, PackageRecord>();
  for (let wanted = roots; wanted.length > 0; ) {
    for (const record of await show(wanted)) if (!found.has(record.name)) found.set(record.name, record);
    const missing = wanted.find((name) => !found.has(name));
    if (missing !== undefined) throw new Error(`the apt sources have no package ${missing}`);
    const needed = [...found.values()].flatMap(({ depends }) => depends);
    wanted = [...new Set(needed)].filter((name) => !excluded.has(name) && !found.has(name));
  }
  return [...found.values()]
    .map(({ name, version, sha256 }) => ({ name, version, sha256 }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
