import { isJsonObject, JsonError, parseJson, parseYaml, renderJson, YamlError } from '../../base/index.ts';

export type Json6902Operation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'test'; readonly path: string; readonly value?: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly path: string; readonly from: string };

type Json6902Parse =
  | { readonly kind: 'parsed'; readonly operations: readonly Json6902Operation[] }
  | { readonly kind: 'error'; readonly message: string };

/** Parses a `patchesJson6902` text whose variables are resolved: JSON if it starts with `[`, else YAML. */
export function parseJson6902(text: string): Json6902Parse {
  try {
    const document = text.startsWith('[') ? parseJson(text) : parseYaml(text);
    return parseOperations(document);
  } catch (thrown) {
    if (thrown instanceof YamlError) return refuse(`failed to convert patchesJSON6902 to JSON: ${thrown.message}`);
    if (thrown instanceof JsonError) return refuse('failed to decode patches: invalid state detected');
    throw thrown;
  }
}

function parseOperations(document: unknown): Json6902Parse {
  // As upstream, null is a patch without operations.
  if (document === null) return { kind: 'parsed', operations: [] };
  if (!Array.isArray(document)) return refuse('failed to decode patches: a JSON patch is a list of operations');
  const operations: Json6902Operation[] = [];
  for (const item of document) {
    if (!isJsonObject(item)) return refuse('failed to decode patches: an operation is an object');
    const parsed = parseOperation(item);
    if (typeof parsed === 'string') {
      return refuse(`failed to decode patches: invalid operation ${renderSorted(item)}: ${parsed}`);
    }
    operations.push(parsed);
  }
  return { kind: 'parsed', operations };
}

type Fields = Readonly<Record<string, unknown>>;

function parseOperation(item: Fields): Json6902Operation | string {
  const { op, path, from } = item;
  if (op === 'add' || op === 'replace') {
    if (!Object.hasOwn(item, 'value')) return "failed to decode 'value': operation, missing value field: missing value";
    return withPath(path) ?? { op, path: path as string, value: item['value'] };
  }
  if (op === 'move' || op === 'copy') {
    if (typeof from !== 'string') return "failed to decode 'from': operation, missing from field: missing value";
    return withPath(path) ?? { op, path: path as string, from };
  }
  if (op === 'remove') return withPath(path) ?? { op, path: path as string };
  if (op === 'test') {
    const value = Object.hasOwn(item, 'value') ? { value: item['value'] } : {};
    return withPath(path) ?? { op, path: path as string, ...value };
  }
  return 'unsupported operation';
}

const withPath = (path: unknown): string | undefined =>
  typeof path === 'string' ? undefined : "failed to decode 'path': operation missing path field: missing value";

const refuse = (message: string): Json6902Parse => ({ kind: 'error', message });

const renderSorted = (item: Fields): string =>
  renderJson(Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1))));
