/** One row of a table; a cell is one line. */
export const row = (...cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |\n`;

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ').trim();

export const header = (...names: readonly string[]): string =>
  `${row(...names)}|${names.map(() => '---').join('|')}|\n`;

export const generated = (from: string): string =>
  `<!-- Written by \`npm run generate:reference\` from ${from}. Do not edit. -->\n`;
