import type { Json } from './json.ts';
import { setOwn } from './own.ts';
import { readBlockText } from './yaml-block-text.ts';
import type { YamlDocument } from './yaml-build.ts';
import {
  apostrophe,
  bar,
  colon,
  dash,
  greater,
  hash,
  lineFeed,
  openList,
  openMap,
  question,
  quote,
  space,
} from './yaml-characters.ts';
import { finite, unknownForm, YamlCursor } from './yaml-cursor.ts';
import { readFlow } from './yaml-flow.ts';
import { isKeyCharacter } from './yaml-keys.ts';
import { resolvePlain } from './yaml-scalar.ts';

/**
 * Reads what manifests are made of: block maps and lists, scalars on one line, literal and folded text, and short flow
 * collections. Undefined when the text has anything else, or an error: the full parser reads it then, and tells what is
 * wrong. For what this one reads, both give the same.
 */
export function readBlockYaml(text: string, firstLine = 1): readonly YamlDocument[] | undefined {
  if (unusual.test(text)) return undefined;
  try {
    return readDocuments(new YamlCursor(text, firstLine));
  } catch (thrown) {
    if (thrown === unknownForm) return undefined;
    throw thrown;
  }
}

/** Tabs, carriage returns, byte order marks, other line breaks, control characters and surrogates. */
const unusual = /[^\n\x20-\x7e\u00a0-\u2027\u2030-\ud7ff\uf900-\ufdcf\ufdf0-\ufefe]/;

/** Characters that begin something else than a plain scalar, whatever follows. */
const indicators: ReadonlySet<number> = new Set([...',[]{}#&*!|>\'"%@`'].map((one) => one.charCodeAt(0)));

function readDocuments(cursor: YamlCursor): readonly YamlDocument[] {
  const documents: YamlDocument[] = [];
  cursor.toContent(0);
  for (;;) {
    // After `---` nothing but the end of its line is read here.
    while (cursor.indent === -1 && cursor.at < cursor.text.length) {
      cursor.at += 3;
      cursor.endLine();
    }
    if (cursor.indent === -1) return documents;
    const line = cursor.lineOf(cursor.at);
    const value = readBlock(cursor, cursor.indent);
    if (cursor.indent !== -1) throw unknownForm;
    documents.push({ value, line });
  }
}

function readBlock(cursor: YamlCursor, indent: number): Json {
  cursor.enter();
  const value = isAtItem(cursor) ? readList(cursor, indent) : readMap(cursor, indent);
  cursor.leave();
  // A deeper line belongs to nothing.
  if (cursor.indent > indent) throw unknownForm;
  return value;
}

const isAtItem = (cursor: YamlCursor) => cursor.text.charCodeAt(cursor.at) === dash && cursor.isBlank(cursor.at + 1);

function readList(cursor: YamlCursor, indent: number): Json {
  const list: Json[] = [];
  do {
    const dashAt = cursor.at;
    cursor.at++;
    cursor.passSpaces();
    const column = indent + cursor.at - dashAt;
    const isBlock = isAtItem(cursor) || isAtKey(cursor);
    list.push(isBlock ? readBlock(cursor, column) : readValue(cursor, indent, false));
  } while (cursor.indent === indent && isAtItem(cursor));
  return list;
}

function readMap(cursor: YamlCursor, indent: number): Json {
  const map: Record<string, Json> = {};
  do {
    const key = cursor.key();
    // Also true for names of Object.prototype; the full parser tells them from duplicates.
    if (map[key] !== undefined) throw unknownForm;
    setOwn(map, key, readValue(cursor, indent, true));
  } while (cursor.indent === indent);
  return map;
}

/** Whether the text goes on with `key:`; decides between a map and a scalar in a list. */
function isAtKey(cursor: YamlCursor): boolean {
  const { text } = cursor;
  let at = cursor.at;
  const c = text.charCodeAt(at);
  if (c === quote || c === apostrophe) at = cursor.quoteEnd(at);
  else while (isKeyCharacter(text.charCodeAt(at))) at++;
  return at > cursor.at && text.charCodeAt(at) === colon && cursor.isBlank(at + 1);
}

/** The value after a colon or a dash; afterwards the cursor is at the next content. */
function readValue(cursor: YamlCursor, indent: number, isInMap: boolean): Json {
  const { text } = cursor;
  cursor.passSpaces();
  const c = text.charCodeAt(cursor.at);
  if (c === lineFeed || c === hash || cursor.at >= text.length) return readBelow(cursor, indent, isInMap);
  if (c === bar || c === greater) return readBlockText(cursor, indent);
  let value: Json;
  if (c === quote || c === apostrophe) value = cursor.quoted();
  else if (c === openList || c === openMap) value = readFlow(cursor);
  else value = readPlain(cursor, c);
  cursor.endLine();
  // Deeper lines go on with the scalar, or are a mistake.
  if (cursor.indent > indent) throw unknownForm;
  return value;
}

/** A value that begins on a later line, or null. */
function readBelow(cursor: YamlCursor, indent: number, isInMap: boolean): Json {
  // A comment ends the line only after a space.
  if (cursor.text.charCodeAt(cursor.at) === hash) cursor.at--;
  cursor.endLine();
  if (cursor.indent > indent) return readBlock(cursor, cursor.indent);
  return isInMap && cursor.indent === indent && isAtItem(cursor) ? readBlock(cursor, indent) : null;
}

function readPlain(cursor: YamlCursor, first: number): Json {
  const { text } = cursor;
  const start = cursor.at;
  if (indicators.has(first)) throw unknownForm;
  if ((first === dash || first === question || first === colon) && cursor.isBlank(start + 1)) throw unknownForm;
  let at = start;
  let end = start;
  for (; ; at++) {
    const c = text.charCodeAt(at);
    // NaN at the end of the text.
    if (c === lineFeed || Number.isNaN(c)) break;
    if (c === space) continue;
    if (c === hash && text.charCodeAt(at - 1) === space) break;
    if (c === colon && cursor.isBlank(at + 1)) throw unknownForm;
    end = at + 1;
  }
  cursor.at = end;
  return finite(resolvePlain(text.slice(start, end)));
}
