import type { TreeNode } from './explain-tree.ts';
import type { Paint } from './report/index.ts';

const symbols = { yes: '✓', no: '✗', off: '–', note: '' } as const;
const colours = { yes: 'green', no: 'red', off: 'gray', note: 'bold' } as const;

/** A tree as indented lines. */
export function renderTree({ state, text, children, lines = [] }: TreeNode, paint: Paint, depth = 0): string {
  const indent = '  '.repeat(depth);
  const [first = '', ...rest] = text.split('\n');
  const sign = state === 'note' ? '' : `${paint(colours[state], symbols[state])} `;
  const head = state === 'note' ? (depth < 2 ? paint('bold', first) : first) : first;
  const hanging = rest.map((line) => `${indent}${state === 'note' ? '' : '  '}${line}\n`).join('');
  const shown = lines.map((line) => `${indent}  ${paintDiff(line, paint)}\n`).join('');
  const below = children.map((child) => renderTree(child, paint, depth + 1)).join('');
  return `${indent}${sign}${head}\n${hanging}${shown}${below}`;
}

export function paintDiff(line: string, paint: Paint): string {
  if (line.startsWith('+')) return paint('green', line);
  return line.startsWith('-') ? paint('red', line) : line;
}
