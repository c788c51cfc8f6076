import { parseEvents, YAMLException } from 'js-yaml';
import { isStackOverflow, type Json, parseJson } from './json.ts';
import { JsonError } from './json-error.ts';
import { readBlockYaml } from './yaml-block.ts';
import { maxYamlDepth, YamlBuilder, type YamlDocument } from './yaml-build.ts';
import { SourceText } from './yaml-error.ts';

export interface YamlOptions {
  /** The file name for errors. */
  readonly file?: string;
  /** The first line number, for a text that is part of a file; 1 by default. */
  readonly firstLine?: number;
  readonly maxBytes?: number;
}

/** Far larger than any manifest, and small enough to be parsed in seconds. */
export const maxYamlBytes = 32 * 1024 * 1024;

/** Parses one document, YAML as Kubernetes reads it or JSON. An empty text is null; a second document is an error. */
export function parseYaml(text: string, options: YamlOptions = {}): Json {
  const [first, second] = parseYamlDocuments(text, options);
  if (second) {
    const source = new SourceText(text, options.file);
    const offset = text.split('\n', second.line - 1).join('\n').length + 1;
    source.fail('yaml-several-documents', 'only one document is expected here', offset);
  }
  return first?.value ?? null;
}

/** Parses all documents of a text; empty and null documents are dropped. */
export function parseYamlDocuments(text: string, options: YamlOptions = {}): readonly YamlDocument[] {
  const source = new SourceText(text, options.file, options.firstLine);
  const { maxBytes = maxYamlBytes } = options;
  if (text.length > maxBytes) source.fail('yaml-too-large', `longer than ${maxBytes} bytes`, 0);
  const json = parseAsJson(source);
  if (json) return json;
  const manifests = readBlockYaml(text, options.firstLine);
  if (manifests) return manifests;
  try {
    return new YamlBuilder(source).build(parseEvents(text, { maxDepth: maxYamlDepth }));
  } catch (thrown) {
    if (isStackOverflow(thrown)) return source.fail('yaml-too-deep', 'nested too deep to be parsed', 0);
    if (!(thrown instanceof YAMLException)) throw thrown;
    const code = thrown.reason.includes('maxDepth') ? 'yaml-too-deep' : 'yaml-invalid';
    return source.fail(code, thrown.reason, thrown.mark?.position ?? 0);
  }
}

/** JSON is YAML too, but its own parser is several times faster. */
function parseAsJson(source: SourceText): readonly YamlDocument[] | undefined {
  const start = source.text.search(/\S/);
  if (start === -1) return [];
  if (!'{['.includes(source.text[start]!)) return undefined;
  try {
    return [{ value: parseJson(source.text), line: source.at(start).line }];
  } catch (thrown) {
    if (!(thrown instanceof JsonError)) throw thrown;
    if (thrown.code === 'json-too-deep') source.fail('yaml-too-deep', thrown.message, start);
    // Flow style, a second document or a mistake: the YAML parser determines which, and where.
    return undefined;
  }
}
