import { renderYaml } from '../base/index.ts';
import type { KubeObject } from '../object/index.ts';
import type { Operation } from './plan.ts';

const context = 3;
/** Above this many comparisons the middle is shown as replaced: the diff need not be minimal. */
const maxCells = 4_000_000;

/** The changes of an operation as YAML lines with `+`, `-` and context. */
export function renderDiff(operation: Operation): string {
  const before = operation.action === 'apply' ? [] : linesOf(operation.before);
  // Without what the server adds, its defaults would look removed.
  const after = operation.action === 'remove' ? [] : linesOf(previewOf(operation));
  return diffLines(before, after).join('\n');
}

const previewOf = (operation: Exclude<Operation, { action: 'remove' }>) =>
  operation.action === 'update' ? (operation.preview ?? operation.desired) : operation.desired;

function linesOf({ apiVersion, kind, metadata, status: _, ...rest }: KubeObject): string[] {
  const { name, namespace, labels, annotations } = metadata;
  const shown = { apiVersion, kind, metadata: { name, namespace, labels, annotations }, ...rest };
  return renderYaml(shown, { sortKeys: true }).trimEnd().split('\n');
}

/** A line diff with three lines of context; `…` stands for omitted equal lines. */
export function diffLines(before: readonly string[], after: readonly string[]): string[] {
  const marked = markLines(before, after);
  const isNear = (index: number) =>
    marked.slice(Math.max(0, index - context), index + context + 1).some((line) => !line.startsWith(' '));
  const shown: string[] = [];
  for (const [index, line] of marked.entries()) {
    if (isNear(index)) shown.push(line);
    else if (shown.at(-1) !== '  …') shown.push('  …');
  }
  return shown;
}

function markLines(before: readonly string[], after: readonly string[]): string[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let tail = 0;
  const room = Math.min(before.length, after.length) - start;
  while (tail < room && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const same = (line: string) => `  ${line}`;
  return [
    ...before.slice(0, start).map(same),
    ...markMiddle(before.slice(start, before.length - tail), after.slice(start, after.length - tail)),
    ...before.slice(before.length - tail).map(same),
  ];
}

function markMiddle(before: readonly string[], after: readonly string[]): string[] {
  const gone = (line: string) => `- ${line}`;
  const come = (line: string) => `+ ${line}`;
  if (before.length * after.length > maxCells) return [...before.map(gone), ...after.map(come)];
  // Length of the longest common subsequence of the remaining lines, for each pair of positions.
  const width = after.length + 1;
  const common = new Uint32Array((before.length + 1) * width);
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      common[i * width + j] =
        before[i] === after[j]
          ? common[(i + 1) * width + j + 1]! + 1
          : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!);
  const lines: string[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      lines.push(`  ${before[i]}`);
      i++;
      j++;
    } else if (i < before.length && (j === after.length || common[(i + 1) * width + j]! >= common[i * width + j + 1]!))
      lines.push(gone(before[i++]!));
    else lines.push(come(after[j++]!));
  }
  return lines;
}
