import { describe, expect, it } from 'vitest';
import { shortened, visibleText } from './visible-text.ts';

describe('text of strangers', () => {
  it('writes out what is invisible or changes the order of letters', () => {
    expect(visibleText('web\u202egpj.exe')).toBe('web⟨U+202E⟩gpj.exe');
    expect(visibleText('a\u0000b\u001b[31mc\u200bd\ufeff')).toBe('a⟨U+0000⟩b⟨U+001B⟩[31mc⟨U+200B⟩d⟨U+FEFF⟩');
    expect(visibleText('half \ud800 pair')).toBe('half ⟨U+D800⟩ pair');
  });

  it('leaves letters of any script, markup, tabs and line breaks as they are', () => {
    const text = '<b onload=x>שלום 日本\t🚢\r\n</b>';
    expect(visibleText(text)).toBe(text);
  });

  it('shortens in the middle, as both ends of a name tell names apart', () => {
    expect(shortened('abcdefghij', 10)).toBe('abcdefghij');
    expect(shortened('abcdefghijk', 7)).toBe('abc…ijk');
    expect(shortened('🚢🚢🚢🚢', 5).isWellFormed()).toBe(true);
  });
});
