import { isJsonObject, type Json, renderYaml } from '../base/index.ts';
import { deepEqual, type KubeObject } from '../object/index.ts';

const managedBy = 'app.kubernetes.io/managed-by';

/**
 * An object as tests compare it: without the labels of generation, with the `managed-by` label, and without nulls,
 * empty maps and empty lists.
 */
function comparable(object: KubeObject): Json {
  const labels = Object.entries(object.metadata.labels ?? {}).filter(
    ([key]) => !key.startsWith('generate.kyverno.io/'),
  );
  const fixed = { ...Object.fromEntries(labels) };
  return (
    tidy({
      ...object,
      metadata: { ...object.metadata, labels: { [managedBy]: 'kyverno', ...fixed } },
    } as unknown as Json) ?? null
  );
}

function tidy(value: Json): Json | undefined {
  if (Array.isArray(value)) {
    const items = value.map((item) => tidy(item as Json)).filter((item) => item !== undefined);
    return items.length === 0 ? undefined : items;
  }
  if (isJsonObject(value)) {
    const fields = Object.entries(value).flatMap(([key, field]) => {
      const kept = tidy(field as Json);
      return kept === undefined ? [] : [[key, kept] as const];
    });
    return fields.length === 0 ? undefined : Object.fromEntries(fields);
  }
  return value === null ? undefined : value;
}

/** The difference line by line (`-` expected, `+` found); undefined if they are equal. */
export function difference(expected: KubeObject, actual: KubeObject): string | undefined {
  const [wanted, found] = [comparable(expected), comparable(actual)];
  if (deepEqual(wanted, found)) return undefined;
  const lines = diffLines(render(wanted), render(found));
  // Numbers and strings that print alike must still differ.
  return lines.some(({ sign }) => sign !== ' ') ? renderDiff(lines) : 'they differ in the type of a value';
}

/** What a mutation changed, line by line. */
export function changes(before: KubeObject, after: KubeObject): string {
  return renderDiff(diffLines(render(before as unknown as Json), render(after as unknown as Json)));
}

const render = (value: Json) => renderYaml(value, { sortKeys: true }).trimEnd().split('\n');

interface Line {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

/** Above this size the table is too large, and such a diff is not read line by line. */
const maxTable = 4_000_000;

/** Keeps the common head and tail; between them, the longest common subsequence. */
function diffLines(from: readonly string[], to: readonly string[]): readonly Line[] {
  let start = 0;
  while (start < from.length && start < to.length && from[start] === to[start]) start++;
  let end = 0;
  const rest = Math.min(from.length, to.length) - start;
  while (end < rest && from.at(-1 - end) === to.at(-1 - end)) end++;
  const same = (text: string): Line => ({ sign: ' ', text });
  const [removed, added] = [from.slice(start, from.length - end), to.slice(start, to.length - end)];
  return [
    ...from.slice(0, start).map(same),
    ...(removed.length * added.length > maxTable ? replaced(removed, added) : subsequence(removed, added)),
    ...from.slice(from.length - end).map(same),
  ];
}

const replaced = (from: readonly string[], to: readonly string[]): readonly Line[] => [
  ...from.map((text): Line => ({ sign: '-', text })),
  ...to.map((text): Line => ({ sign: '+', text })),
];

function subsequence(from: readonly string[], to: readonly string[]): readonly Line[] {
  const width = to.length + 1;
  const lengths = new Uint32Array((from.length + 1) * width);
  for (let i = from.length - 1; i >= 0; i--) {
    for (let j = to.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        from[i] === to[j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!);
    }
  }
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < from.length || j < to.length) {
    if (i < from.length && j < to.length && from[i] === to[j]) {
      lines.push({ sign: ' ', text: from[i]! });
      i++;
      j++;
    } else if (j >= to.length || (i < from.length && lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!))
      lines.push({ sign: '-', text: from[i++]! });
    else lines.push({ sign: '+', text: to[j++]! });
  }
  return lines;
}

/** Changed lines with two lines of context. */
function renderDiff(lines: readonly Line[]): string {
  const isNear = (index: number) => lines.slice(Math.max(0, index - 2), index + 3).some(({ sign }) => sign !== ' ');
  const shown: string[] = [];
  let isGap = false;
  for (const [index, { sign, text }] of lines.entries()) {
    if (isNear(index)) shown.push(`${sign} ${text}`);
    else if (!isGap) shown.push('  …');
    isGap = !isNear(index);
  }
  return shown.join('\n');
}
