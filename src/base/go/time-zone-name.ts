/** The length of the time zone abbreviation at the start of the text; 0 when there is none. */
export function zoneNameLength(text: string): number {
  if (/^(?:ChST|MeST)/.test(text)) return 4;
  if (text.startsWith('GMT')) return 3 + signedHoursLength(text.slice(3));
  if (/^[+-]../s.test(text)) return signedHoursLength(text);
  const capitals = /^[A-Z]{0,6}/.exec(text)?.[0] ?? '';
  if (capitals.length === 3) return 3;
  if (capitals.length === 4) return capitals.endsWith('T') || capitals === 'WITA' ? 4 : 0;
  return capitals.length === 5 && capitals.endsWith('T') ? 5 : 0;
}

function signedHoursLength(text: string): number {
  const found = /^[+-](\d+)/.exec(text);
  return found && Number(found[1]) <= 23 ? found[0].length : 0;
}
