/** A list of texts written as JSON; or what the text is instead. `null` is an empty list, and in one an empty text. */
export function parseTextList(text: string): readonly string[] | 'no JSON' | 'other JSON' {
  if (!/^[ \t\n\r]*(?:[[{"\d-]|true|false|null)/.test(text)) return 'no JSON';
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // Not being JSON is one of the answers.
    return 'no JSON';
  }
  if (parsed === null) return [];
  if (!Array.isArray(parsed)) return 'other JSON';
  const texts = parsed.map((item: unknown) => item ?? '');
  return texts.every((item) => typeof item === 'string') ? texts : 'other JSON';
}
