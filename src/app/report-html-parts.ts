/** The parts of the report page that are the same for every report. */
interface PageParts {
  readonly title: string;
  readonly style: string;
  readonly script: string;
  readonly body: string;
}

// The content security policy of the page: nothing is loaded, whatever a message contains.
const contentPolicy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

export function page({ title, style: css, script: js, body }: PageParts): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${contentPolicy}">
<title>${title}</title>
<style>${css}</style>
</head>
<body>
${body.trim()}
<script>${js}</script>
</body>
</html>
`;
}

export const style = `
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5b6675; --line: #dfe4ea; --ground: #fff; --raised: #f6f8fa;
  --pass: #1a7f4b; --fail: #c62f2f; --warn: #9a6700; --error: #8a3ffc; --skip: #5b6675; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6eaf0; --soft: #9aa5b4; --line: #2c3542; --ground: #12171e; --raised: #1a212b;
    --pass: #4ac585; --fail: #ff7b72; --warn: #e3b341; --error: #be95ff; --skip: #9aa5b4; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 90rem; padding: 2rem 1.5rem 4rem; background: var(--ground); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.7rem; margin: 0; letter-spacing: -0.01em; } h2 { font-size: 1.1rem; margin: 2.5rem 0 0.5rem; }
header p, .note, #shown { color: var(--soft); margin: 0.25rem 0 0; }
.tiles { display: flex; flex-wrap: wrap; gap: 0.75rem; margin-top: 1.5rem; }
.tile { border: 1px solid var(--line); border-radius: 8px; background: var(--raised); color: var(--soft); padding: 0.75rem 1.25rem;
  font: inherit; text-align: left; cursor: pointer; min-width: 7rem; }
.tile b { display: block; font-size: 1.6rem; font-variant-numeric: tabular-nums; color: var(--ink); }
.tile[aria-pressed="true"] { outline: 2px solid currentColor; }
.tile.pass { border-top: 3px solid var(--pass); } .tile.fail { border-top: 3px solid var(--fail); }
.tile.warn { border-top: 3px solid var(--warn); } .tile.error { border-top: 3px solid var(--error); }
.tile.skip { border-top: 3px solid var(--skip); }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: 0.45rem 0.75rem; vertical-align: top; }
thead th { position: sticky; top: 0; background: var(--ground); border-bottom: 2px solid var(--line); color: var(--soft);
  font-weight: 600; cursor: pointer; white-space: nowrap; }
thead th[aria-sort="ascending"]::after { content: " ↑"; } thead th[aria-sort="descending"]::after { content: " ↓"; }
tbody tr { border-bottom: 1px solid var(--line); } tbody tr:hover { background: var(--raised); }
td { overflow-wrap: anywhere; } td:not(.n) { min-width: 7rem; } .n { text-align: right; font-variant-numeric: tabular-nums; }
.badge { font-weight: 600; } .badge.pass { color: var(--pass); } .badge.fail { color: var(--fail); }
.badge.warn { color: var(--warn); } .badge.error { color: var(--error); } .badge.skip { color: var(--skip); }
input { font: inherit; color: inherit; background: var(--raised); border: 1px solid var(--line); border-radius: 6px;
  padding: 0.45rem 0.75rem; width: min(28rem, 100%); }
@media print { .tile, thead th { position: static; } input { display: none; } }
`;

export const script = `
(() => {
  const rows = [...document.querySelectorAll('#results tbody tr')];
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const search = document.getElementById('search');
  const shown = document.getElementById('shown');
  const tiles = [...document.querySelectorAll('.tile')];
  const filter = () => {
    const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
    const wanted = new Set(tiles.filter((t) => t.getAttribute('aria-pressed') === 'true').map((t) => t.dataset.result));
    let count = 0;
    rows.forEach((row, i) => {
      const fits = (wanted.size === 0 || wanted.has(row.dataset.result)) && words.every((w) => texts[i].includes(w));
      row.hidden = !fits;
      if (fits) count++;
    });
    shown.textContent = count + ' of ' + rows.length + ' results';
  };
  search.addEventListener('input', filter);
  for (const tile of tiles) {
    tile.setAttribute('aria-pressed', 'false');
    tile.addEventListener('click', () => {
      tile.setAttribute('aria-pressed', String(tile.getAttribute('aria-pressed') !== 'true'));
      filter();
    });
  }
  for (const table of document.querySelectorAll('table.sortable')) {
    const heads = [...table.querySelectorAll('th')];
    heads.forEach((head, column) => head.addEventListener('click', () => {
      const isUp = head.getAttribute('aria-sort') !== 'ascending';
      for (const other of heads) other.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', isUp ? 'ascending' : 'descending');
      const body = table.tBodies[0];
      const key = (row) => row.cells[column].textContent;
      const compare = (a, b) => key(a).localeCompare(key(b), 'en', { numeric: true });
      const sorted = [...body.rows].sort((a, b) => (isUp ? compare(a, b) : compare(b, a)));
      body.append(...sorted);
    }));
  }
  filter();
})();
`;
