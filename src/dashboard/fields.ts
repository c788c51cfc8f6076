import { isJsonObject, type JsonObject } from '../base/index.ts';
import { type Condition, findCondition, type KubeObject } from '../object/index.ts';

/** Longer messages are cut: they are shown in one line, and kept in memory. */
const maxText = 500;

/** Foreign objects may have any form: a field of another type counts as absent. */
export const textOf = (of: JsonObject, key: string): string => {
  const value = of[key];
  return typeof value === 'string' ? value : '';
};

export const shortTextOf = (of: JsonObject, key: string): string => {
  const text = textOf(of, key);
  return text.length > maxText ? `${text.slice(0, maxText)}…` : text;
};

export const numberOf = (of: JsonObject, key: string): number | undefined => {
  const value = of[key];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
};

export const objectOf = (of: JsonObject | KubeObject, key: string): JsonObject => {
  const value = of[key];
  return isJsonObject(value) ? value : {};
};

export const listOf = (of: JsonObject | KubeObject, key: string): readonly JsonObject[] => {
  const value = of[key];
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
};

export const conditionOf = (status: JsonObject, type: string): Partial<Condition> | undefined =>
  findCondition(listOf(status, 'conditions') as unknown as readonly Condition[], type);

/** The seconds of a time as Kubernetes writes it, and any other text as it is. */
export type CompactTime = number | string;

export function compactTime(text: string): CompactTime {
  if (!plainTime.test(text)) return text;
  const seconds = Date.parse(text) / 1000;
  return timeText(seconds) === text ? seconds : text;
}

const plainTime = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$/;
export const timeText = (time: CompactTime): string =>
  typeof time === 'string' || Number.isNaN(time)
    ? String(time)
    : new Date(time * 1000).toISOString().replace('.000', '');

export type Interner = (text: string) => string;

/**
 * Texts that many objects share, such as namespaces and policies: kept once. A table of a fixed size, in which a text
 * takes the place of another: that costs sharing alone.
 */
export function createInterner(places = 8_192): Interner {
  const known = new Array<string | undefined>(places).fill(undefined);
  return (text) => {
    if (text === '') return '';
    const place = placeOf(text, places);
    const found = known[place];
    if (found === text) return found;
    known[place] = ownText(text);
    return known[place];
  };
}

const ascii = /^[\x20-\x7e]*$/;
/** A part of a longer text would keep all of that in memory. */
export const ownText = (text: string): string =>
  ascii.test(text) ? Buffer.from(text, 'latin1').toString('latin1') : text;

/** FNV-1a. */
function placeOf(text: string, places: number): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return (hash >>> 0) % places;
}
