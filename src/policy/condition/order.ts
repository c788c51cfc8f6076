import { compareVersions, parseStrictVersion } from '../../base/index.ts';
import { parseGoFloat, quantityOf } from '../pattern/index.ts';
import { durationPair, seconds } from './duration.ts';
import { isOrdered, type Order } from './operator.ts';

/** GreaterThan etc.: compares as durations, quantities, numbers, versions, in that order; false for anything else. */
export function compareOrder(order: Order, key: unknown, value: unknown): boolean {
  if (typeof key === 'string') return compareText(order, key, value);
  return typeof key === 'number' || typeof key === 'bigint' ? compareNumber(order, Number(key), value) : false;
}

function compareText(order: Order, key: string, value: unknown): boolean {
  const durations = durationPair(key, value);
  if (durations !== undefined) return isOrdered(order, seconds(durations.key), seconds(durations.value));
  const keyQuantity = quantityOf(key);
  const valueQuantity = typeof value === 'string' ? quantityOf(value) : undefined;
  if (keyQuantity !== undefined && valueQuantity !== undefined) return isOrdered(order, keyQuantity, valueQuantity);
  const number = parseGoFloat(key);
  if (number !== undefined) return compareNumber(order, number, value);
  const keyVersion = typeof value === 'string' ? parseStrictVersion(key) : undefined;
  const valueVersion = keyVersion && parseStrictVersion(value as string);
  return keyVersion !== undefined && valueVersion !== undefined
    ? isOrdered(order, compareVersions(keyVersion, valueVersion), 0)
    : false;
}

function compareNumber(order: Order, key: number, value: unknown): boolean {
  if (typeof value === 'number' || typeof value === 'bigint') return isOrdered(order, key, Number(value));
  if (typeof value !== 'string') return false;
  const durations = durationPair(key, value);
  if (durations !== undefined) return isOrdered(order, seconds(durations.key), seconds(durations.value));
  const number = parseGoFloat(value);
  return number === undefined ? false : isOrdered(order, key, number);
}
