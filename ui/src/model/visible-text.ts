// Control characters, format characters (they reorder, join or hide text), separators that break lines, and halves of
// surrogate pairs. Tabs and line breaks are left to the style sheet.
const hidden = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** The same text with every invisible character written out (`⟨U+202E⟩`): a name must not look like another one. */
export function visibleText(text: string): string {
  return text.replace(hidden, (char) => `⟨U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟩`);
}

/** At most `length` characters: both ends of a name tell names apart, so the middle goes. */
export function shortened(text: string, length: number): string {
  if (text.length <= length) return text;
  const head = Math.ceil((length - 1) / 2);
  return `${wholeEnd(text.slice(0, head))}…${wholeStart(text.slice(text.length - (length - 1 - head)))}`;
}

/** For a tooltip, which shows some lines and no more. */
export const tooltip = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : shortened(visibleText(text.slice(0, 5_000)), 1_000);

const wholeEnd = (text: string) => text.replace(/[\ud800-\udbff]$/, '');
const wholeStart = (text: string) => text.replace(/^[\udc00-\udfff]/, '');
