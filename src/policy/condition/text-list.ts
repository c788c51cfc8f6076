/** Parses a JSON list of texts, or reports what the text is instead. `null` is an empty list; as an element, an empty text. */
export function parseTextList(text: string): readonly string[] | 'no JSON' | 'other JSON' {
  if (!/^[ \t\n\r]*(?:[[{"\d-]|true|false|null)/.test(text)) return 'no JSON';
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // A text that is not JSON is a valid input.
    return 'no JSON';
  }
  if (parsed === null) return [];
  if (!Array.isArray(parsed)) return 'other JSON';
  const texts = parsed.map((item: unknown) => item ?? '');
  return texts.every((item) => typeof item === 'string') ? texts : 'other JSON';
}
