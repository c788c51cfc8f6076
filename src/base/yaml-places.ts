import { EVENT_ID, getScalarValue, parseEvents, SCALAR_STYLE, YAMLException } from 'js-yaml';
import { isStackOverflow } from './json.ts';
import { maxYamlDepth } from './yaml-build.ts';
import { SourceText } from './yaml-error.ts';

/** The position of a value; for a map and a list also of their fields and items. */
export interface YamlPlace {
  readonly line: number;
  readonly children?: ReadonlyMap<string, YamlPlace>;
  /** The text of a scalar that is written without quotes. */
  readonly plain?: string;
}

interface Frame {
  readonly children: Map<string, YamlPlace>;
  readonly isList: boolean;
  /** The key of the next value, and its line. */
  key: { readonly text: string; readonly line: number } | undefined;
}

/** The positions in all documents of a valid text, including empty documents. */
export function locateYaml(text: string, firstLine = 1): readonly YamlPlace[] {
  const source = new SourceText(text, undefined, firstLine);
  const documents: YamlPlace[] = [];
  const frames: Frame[] = [];
  const lineOf = (offset: number) => source.at(offset).line;
  const add = (line: number, more: Pick<YamlPlace, 'children' | 'plain'> = {}): void => {
    const frame = frames.at(-1);
    const place = { line: frame?.key?.line ?? line, ...more };
    if (!frame) documents.push(place);
    else if (frame.isList) frame.children.set(String(frame.children.size), place);
    else if (frame.key) frame.children.set(frame.key.text, place);
    if (frame) frame.key = undefined;
  };
  try {
    for (const event of parseEvents(text, { maxDepth: maxYamlDepth })) {
      if (event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE) {
        const children = new Map<string, YamlPlace>();
        // Added before its items: they are added to the same map later.
        add(lineOf(event.start), { children });
        frames.push({ children, isList: event.type === EVENT_ID.SEQUENCE, key: undefined });
      } else if (event.type === EVENT_ID.SCALAR) {
        const frame = frames.at(-1);
        const line = lineOf(event.valueStart === -1 ? 0 : event.valueStart);
        if (frame && !frame.isList && !frame.key) frame.key = { text: getScalarValue(text, event), line };
        else add(line, event.style === SCALAR_STYLE.PLAIN ? { plain: getScalarValue(text, event) } : {});
      } else if (event.type === EVENT_ID.ALIAS) add(lineOf(event.anchorStart));
      else if (event.type === EVENT_ID.POP) frames.pop();
    }
  } catch (thrown) {
    if (!(thrown instanceof YAMLException) && !isStackOverflow(thrown)) throw thrown;
  }
  return documents;
}

/** The line of the value at the path, or of its nearest existing ancestor. */
export function lineAt(place: YamlPlace, path: readonly string[]): number {
  let found = place;
  for (const part of path) {
    const next = found.children?.get(part);
    if (!next) break;
    found = next;
  }
  return found.line;
}
