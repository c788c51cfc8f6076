export type Cell = string | number | boolean | null | undefined;

/**
 * CSV as RFC 4180 has it. A cell that a spreadsheet would run as a formula begins with an apostrophe: image names and
 * messages come from strangers.
 */
export function renderCsv(header: readonly string[], rows: Iterable<readonly Cell[]>): string {
  let text = `${header.map(renderCell).join(',')}\r\n`;
  for (const row of rows) text += `${row.map(renderCell).join(',')}\r\n`;
  return text;
}

function renderCell(cell: Cell): string {
  if (typeof cell !== 'string') return cell === null || cell === undefined ? '' : String(cell);
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
