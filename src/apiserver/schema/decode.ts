import { parseApiVersion, parseQuantity, QuantityError, renderQuantity } from '../../object/index.ts';
import type { Schema } from '../../schema/index.ts';
import { goTypeName, structName } from './go-kind.ts';
import { isZero, writingOf } from './go-writing.ts';
import { type Plan, planOf } from './plan.ts';
import { isMicroTime, isTime, timeError } from './time.ts';
import { type Fields, isObject, stringIn } from './value.ts';

/** Either the object as its Go type would give it back, or why it does not fit that type. */
type Decoded<T> = { readonly ok: true; readonly object: T } | { readonly ok: false; readonly message: string };

/**
 * What happens to a built-in kind when the real server reads it into a Go struct: wrong types are refused (400,
 * with the returned message), nulls and empty optional collections vanish, fields that Go always writes appear,
 * quantities become canonical. Unknown fields are left to `pruneUnknown`.
 */
export function decodeTyped<T extends Fields>(object: T, schema: Schema): Decoded<T> {
  const walk = new DecodeWalk();
  const decoded = walk.value(object, planOf(schema));
  if (walk.error === undefined) return { ok: true, object: decoded as T };
  return { ok: false, message: renderDecodeError(object, walk.error) };
}

/** `Deployment in version "v1" cannot be handled as a Deployment: …`: the message of every failed decoding. */
export function renderDecodeError(object: Fields, detail: string): string {
  const kind = stringIn(object, 'kind');
  const { version } = parseApiVersion(stringIn(object, 'apiVersion'));
  return `${kind} in version "${version}" cannot be handled as a ${kind}: ${detail}`;
}

const maxKnownQuantities = 1000;
const knownQuantities = new Map<string, string>();

/** Most objects use the same few quantities, and exact arithmetic is slow. */
function canonicalQuantity(text: string): string {
  const known = knownQuantities.get(text);
  if (known !== undefined) return known;
  const canonical = renderQuantity(parseQuantity(text));
  if (knownQuantities.size >= maxKnownQuantities) knownQuantities.clear();
  knownQuantities.set(text, canonical);
  return canonical;
}

class DecodeWalk {
  /** The first mistake; nothing after it matters. */
  error: string | undefined;
  private readonly fields: string[] = [];
  private struct = '';

  value(value: unknown, plan: Plan): unknown {
    switch (plan.go) {
      case 'struct':
        return isObject(value) ? this.structure(value, plan) : this.mismatch(value, plan);
      case 'list':
        return Array.isArray(value) ? this.list(value, plan) : this.mismatch(value, plan);
      case 'map':
        return isObject(value) ? this.map(value, plan) : this.mismatch(value, plan);
      case 'string':
        return typeof value === 'string' ? value : this.mismatch(value, plan);
      case 'bool':
        return typeof value === 'boolean' ? value : this.mismatch(value, plan);
      case 'int32':
        return isInteger(value, 31) ? value : this.mismatch(value, plan);
      case 'int64':
        return isInteger(value, 63) ? value : this.mismatch(value, plan);
      case 'float64':
        return typeof value === 'number' || typeof value === 'bigint' ? value : this.mismatch(value, plan);
      case 'any':
        return value;
      default:
        return this.special(value, plan);
    }
  }

  private special(value: unknown, plan: Plan): unknown {
    switch (plan.go) {
      case 'quantity':
        return this.quantity(value);
      case 'int-or-string':
        return typeof value === 'string' || isInteger(value, 31) ? value : this.plain(value, 'int32');
      case 'bytes':
        return typeof value === 'string' ? this.bytes(value) : this.mismatch(value, plan);
      case 'duration':
        return typeof value === 'string' ? value : this.plain(value, 'string');
      default: {
        if (typeof value !== 'string') return this.plain(value, 'string');
        const isMicro = plan.go === 'micro-time';
        if (!(isMicro ? isMicroTime(value) : isTime(value))) return this.fail(timeError(value, isMicro));
        return value;
      }
    }
  }

  private structure(object: Fields, plan: Plan): Fields {
    const outer = this.struct;
    if (plan.definition !== '') this.struct = structName(plan.definition);
    const { always, omitted } = writingOf(plan);
    let copy: Record<string, unknown> | undefined;
    for (const key in object) {
      const child = plan.properties!.get(key);
      if (!child) continue;
      const before = object[key];
      if (before === null) {
        delete (copy ??= { ...object })[key];
        continue;
      }
      this.fields.push(key);
      const after = this.value(before, child);
      if (this.error !== undefined) return object;
      this.fields.pop();
      if (isZero(after, child) && omitted.has(key)) delete (copy ??= { ...object })[key];
      else if (after !== before) (copy ??= { ...object })[key] = after;
    }
    for (const [key, zero] of always) {
      if ((copy ?? object)[key] === undefined) (copy ??= { ...object })[key] = zero;
    }
    this.struct = outer;
    return copy ?? object;
  }

  private list(list: readonly unknown[], plan: Plan): readonly unknown[] {
    const { items } = plan;
    if (!items) return list;
    let copy: unknown[] | undefined;
    for (let i = 0; i < list.length; i++) {
      const after = list[i] === null ? this.value(emptyOf(items), items) : this.value(list[i], items);
      if (this.error !== undefined) return list;
      if (after !== list[i]) (copy ??= [...list])[i] = after;
    }
    return copy ?? list;
  }

  private map(object: Fields, plan: Plan): Fields {
    const { additional } = plan;
    if (!additional) return object;
    let copy: Record<string, unknown> | undefined;
    for (const key in object) {
      const before = object[key];
      const after = before === null ? emptyOf(additional) : this.value(before, additional);
      if (this.error !== undefined) return object;
      if (after !== before) (copy ??= { ...object })[key] = after;
    }
    return copy ?? object;
  }

  private quantity(value: unknown): unknown {
    try {
      return canonicalQuantity(typeof value === 'object' ? '' : String(value));
    } catch (thrown) {
      if (!(thrown instanceof QuantityError)) throw thrown;
      // The server does not repeat the text.
      return this.fail(thrown.message.slice(thrown.message.indexOf('": ') + 3));
    }
  }

  private bytes(text: string): unknown {
    const bad = badBase64At(text);
    return bad === -1 ? text : this.fail(`illegal base64 data at input byte ${bad}`);
  }

  private mismatch(value: unknown, plan: Plan): undefined {
    const field = `Go struct field ${this.struct}.${this.fields.join('.')}`;
    return this.fail(
      `json: cannot unmarshal ${describe(value, plan)} into ${field} of type ${goTypeName(plan.schema)}`,
    );
  }

  /** Types that read their own JSON do not know in which field they are. */
  private plain(value: unknown, type: string): undefined {
    return this.fail(`json: cannot unmarshal ${describe(value, undefined)} into Go value of type ${type}`);
  }

  private fail(message: string): undefined {
    this.error ??= message;
    return undefined;
  }
}

function isInteger(value: unknown, bits: 31 | 63): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && value >= -(2 ** bits) && value < 2 ** bits;
  return typeof value === 'bigint' && value >= -(2 ** bits) && value < 2 ** bits;
}

function describe(value: unknown, plan: Plan | undefined): string {
  if (value === null) return 'null';
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'number':
    case 'bigint':
      return plan?.go === 'int32' || plan?.go === 'int64' ? `number ${value}` : 'number';
    case 'string':
      return 'string';
    default:
      return Array.isArray(value) ? 'array' : 'object';
  }
}

/** What Go leaves where a list element or a map value is null. */
function emptyOf(plan: Plan): unknown {
  switch (plan.go) {
    case 'string':
    case 'bytes':
      return '';
    case 'bool':
      return false;
    case 'int32':
    case 'int64':
    case 'float64':
    case 'int-or-string':
      return 0;
    case 'quantity':
      return '0';
    case 'list':
      return [];
    case 'any':
    case 'time':
    case 'micro-time':
      return null;
    default:
      return {};
  }
}

/** The first byte that is not standard base64 with padding; -1 when all is well. Line breaks are ignored, as Go does. */
export function badBase64At(text: string): number {
  if (/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)) return -1;
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!;
    if (c === '\n' || c === '\r') continue;
    if (c === '=') {
      const rest = text.slice(i).replace(/[\r\n]/g, '');
      const wanted = count % 4 === 2 ? '==' : count % 4 === 3 ? '=' : undefined;
      if (wanted === undefined) return i;
      if (rest === wanted) return -1;
      return rest.startsWith(wanted) ? i + wanted.length : text.length;
    }
    if (!/[A-Za-z0-9+/]/.test(c)) return i;
    count++;
  }
  // An unfinished group is reported where it starts.
  return count % 4 === 0 ? -1 : text.length - (count % 4);
}
