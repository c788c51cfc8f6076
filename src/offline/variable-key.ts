import { isJsonObject, setOwn } from '../base/index.ts';

export type Variables = Readonly<Record<string, unknown>>;

/** Splits `request.object.metadata.labels."app.kubernetes.io/name"`: dots separate, quotes protect, `""` is a quote. */
function splitVariableKey(key: string): readonly string[] {
  const parts: string[] = [];
  let part = '';
  let isQuoted = false;
  for (let i = 0; i < key.length; i++) {
    const c = key[i]!;
    if (c === '"' && isQuoted && key[i + 1] === '"') {
      part += c;
      i++;
    } else if (c === '"' && (isQuoted || part === '')) isQuoted = !isQuoted;
    else if (c === '.' && !isQuoted) {
      parts.push(part);
      part = '';
    } else part += c;
  }
  return [...parts, part];
}

/** The tree that the keys of values files describe. */
export function variableTree(values: Variables): Variables {
  let tree: Variables = {};
  for (const [key, value] of Object.entries(values)) {
    const branch = splitVariableKey(key).reduceRight<unknown>((below, part) => ({ [part]: below }), value);
    tree = mergeDeep(tree, branch) as Variables;
  }
  return tree;
}

/** `over` merged into `under`: maps are merged, other values replaced. The inputs are not modified. */
export function mergeDeep(under: unknown, over: unknown): unknown {
  if (!isJsonObject(under) || !isJsonObject(over)) return over;
  const merged: Record<string, unknown> = { ...under };
  for (const [key, value] of Object.entries(over)) {
    setOwn(merged, key, Object.hasOwn(under, key) ? mergeDeep(under[key], value) : value);
  }
  return merged;
}
