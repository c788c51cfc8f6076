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

/**
 * Texts that many objects share, such as namespaces and policies: kept once. Emptied when it is full, which costs
 * sharing alone.
 */
export function createInterner(max = 50_000): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    if (known.size >= max) known.clear();
    known.set(text, text);
    return text;
  };
}
