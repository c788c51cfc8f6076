import type { Json } from './json.ts';
import { setOwn } from './own.ts';
import { apostrophe, closeList, closeMap, comma, dash, openList, openMap, quote, space } from './yaml-characters.ts';
import { finite, unknownForm, type YamlCursor } from './yaml-cursor.ts';
import { isKeyCharacter } from './yaml-keys.ts';
import { resolvePlain } from './yaml-scalar.ts';

/** A flow collection on one line, of texts without blanks. */
export function readFlow(cursor: YamlCursor): Json {
  cursor.enter();
  const value = cursor.text.charCodeAt(cursor.at) === openList ? flowList(cursor) : flowMap(cursor);
  cursor.leave();
  return value;
}

function flowList(cursor: YamlCursor): Json {
  const list: Json[] = [];
  passBracket(cursor);
  if (cursor.text.charCodeAt(cursor.at) === closeList) {
    cursor.at++;
    return list;
  }
  for (;;) {
    list.push(flowValue(cursor));
    if (flowEnd(cursor, closeList)) return list;
  }
}

function flowMap(cursor: YamlCursor): Json {
  const map: Record<string, Json> = {};
  passBracket(cursor);
  if (cursor.text.charCodeAt(cursor.at) === closeMap) {
    cursor.at++;
    return map;
  }
  for (;;) {
    const key = cursor.key();
    if (cursor.text.charCodeAt(cursor.at) !== space || map[key] !== undefined) throw unknownForm;
    cursor.passSpaces();
    setOwn(map, key, flowValue(cursor));
    if (flowEnd(cursor, closeMap)) return map;
  }
}

function passBracket(cursor: YamlCursor): void {
  cursor.at++;
  cursor.passSpaces();
}

/** True after the closing bracket; false after a comma. */
function flowEnd(cursor: YamlCursor, close: number): boolean {
  cursor.passSpaces();
  const c = cursor.text.charCodeAt(cursor.at);
  if (c !== close && c !== comma) throw unknownForm;
  passBracket(cursor);
  if (c === comma) return false;
  // Blanks after the bracket belong to what follows.
  while (cursor.text.charCodeAt(cursor.at - 1) === space) cursor.at--;
  return true;
}

function flowValue(cursor: YamlCursor): Json {
  const { text } = cursor;
  const c = text.charCodeAt(cursor.at);
  if (c === openList || c === openMap) return readFlow(cursor);
  if (c === quote || c === apostrophe) return cursor.quoted();
  const start = cursor.at;
  let at = start;
  while (isKeyCharacter(text.charCodeAt(at))) at++;
  if (at === start || (c === dash && at === start + 1)) throw unknownForm;
  cursor.at = at;
  return finite(resolvePlain(text.slice(start, at)));
}
