import { dequal } from 'dequal';
import type { Schema } from '../../schema/index.ts';
import { type FieldError, invalid, notSupported, required, tooLong, tooMany, typeInvalid } from './field-error.ts';
import { hasFormat } from './formats.ts';
import { quote, renderBadValue, sortKeys } from './go-text.ts';
import { checkLists } from './list-type.ts';
import { renderTrail } from './path.ts';
import { type Plan, planOf } from './plan.ts';
import { type Fields, isObject } from './value.ts';

/**
 * Checks a custom resource against its schema, in the words of the API server. With `old`, a mistake in a part
 * that did not change is let pass, so that a schema that became stricter does not block unrelated updates.
 */
export function validate(object: Fields, schema: Schema, old?: Fields): FieldError[] {
  const plan = planOf(schema);
  const walk = new ValidateWalk();
  walk.check(object, plan, old);
  checkLists(object, plan, walk.errors);
  return walk.errors;
}

/** As `validate`, for a value at `where`: a default inside a CRD. */
export function validateAt(where: string, value: unknown, schema: Schema): FieldError[] {
  const walk = new ValidateWalk();
  walk.check(value, planOf(schema), undefined);
  return walk.errors.map((error) => ({
    ...error,
    field: error.field === nowhere ? where : `${where}.${error.field}`,
  }));
}

const trialError: FieldError = { reason: 'FieldValueInvalid', field: '', message: '' };

// What an error that belongs to no field carries where the field should be.
const nowhere = '<nil>';

class ValidateWalk {
  errors: FieldError[] = [];
  /** How many checks were made: of several failed alternatives, the one that got furthest is reported. */
  private checks = 0;
  private readonly trail: (string | number)[] = [];
  /** While alternatives are tried out, only whether one fails matters, not its message. */
  private isTrial = false;

  check(value: unknown, plan: Plan, old: unknown): void {
    const before = this.errors.length;
    this.checks += plan.types.length > 0 ? 2 : 1;
    if (value === null || value === undefined) {
      if (plan.types.length > 0 && !plan.nullable) this.wrongType(plan.types.join(','), 'null');
      if (plan.enum) this.enum(value, plan);
      return;
    }
    const type = typeName(value);
    if (plan.types.length !== 1 || plan.types[0] !== type) this.type(type, plan);
    if (plan.hasJunctors) this.junctors(value, plan);
    if (plan.hasLimits) this.limits(value, plan);
    else if (typeof value === 'bigint' || type === 'number') this.range(value as number | bigint, plan);
    if (type === 'array') this.items(value as readonly unknown[], plan, old);
    if (plan.enum) this.enum(value, plan);
    if (type === 'object') this.object(value as Fields, plan, old);
    if (this.errors.length > before && old !== undefined && dequal(value, old)) this.errors.length = before;
  }

  private add(error: () => FieldError): void {
    this.errors.push(this.isTrial ? trialError : error());
  }

  private get where(): string {
    return this.trail.length === 0 ? nowhere : renderTrail(this.trail);
  }

  private get name(): string {
    return renderTrail(this.trail);
  }

  private wrongType(expected: string, actual: string): void {
    this.add(() =>
      typeInvalid(this.where, actual, `${this.name} in body must be of type ${expected}: ${quote(actual)}`),
    );
  }

  private type(type: string, plan: Plan): void {
    const { types, format } = plan;
    if (types.length === 0 && format === '') return;
    const fits = types.includes(type) || (type === 'integer' && types.includes('number'));
    const isText = type === 'string' || type === 'array';
    if (!isText && format !== '' && !fits) {
      const actual = type === 'integer' ? 'int64' : type === 'number' ? 'float64' : '';
      if (actual !== format) this.wrongType(format, actual);
      return;
    }
    // A format stands in for the type of text: only the check of the format itself can fail then.
    if (isText && format !== '' && !types.includes('number') && !types.includes('integer')) return;
    if (!fits) this.wrongType(types.join(','), type);
  }

  private limits(value: unknown, plan: Plan): void {
    if (typeof value === 'string') this.text(value, plan);
    else if (typeof value === 'number' || typeof value === 'bigint') this.number(value, plan);
  }

  private text(text: string, plan: Plan): void {
    const { maxLength, minLength } = plan.schema;
    // Only a string longer than its limit in UTF-16 units can be longer in characters.
    if (maxLength !== undefined && text.length > maxLength && [...text].length > maxLength) {
      this.add(() => tooLong(this.where, maxLength));
    } else if (minLength !== undefined && [...text].length < minLength) {
      this.fail(text, `should be at least ${minLength} chars long`);
    } else if (plan.pattern && !plan.pattern.matcher(text).find()) {
      this.fail(text, `should match '${plan.schema.pattern}'`);
    }
    if (plan.format !== '' && !hasFormat(plan.format, text)) {
      this.add(() =>
        typeInvalid(this.where, text, `${this.name} in body must be of type ${plan.format}: ${quote(text)}`),
      );
    }
  }

  private number(value: number | bigint, plan: Plan): void {
    this.range(value, plan);
    const { multipleOf, minimum, maximum, exclusiveMinimum = false, exclusiveMaximum = false } = plan.schema;
    const whole = typeName(value) === 'integer';
    const bound = (limit: number) => (whole ? Math.trunc(limit) : limit);
    if (multipleOf !== undefined && !isMultiple(value, multipleOf)) {
      this.fail(value, `should be a multiple of ${bound(multipleOf)}`);
    }
    if (minimum !== undefined && (exclusiveMinimum ? value <= bound(minimum) : value < bound(minimum))) {
      this.fail(value, `should be greater than ${exclusiveMinimum ? '' : 'or equal to '}${bound(minimum)}`);
    }
    if (maximum !== undefined && (exclusiveMaximum ? value >= bound(maximum) : value > bound(maximum))) {
      this.fail(value, `should be less than ${exclusiveMaximum ? '' : 'or equal to '}${bound(maximum)}`);
    }
  }

  private range(value: number | bigint, plan: Plan): void {
    const type = plan.types.length === 1 ? plan.types[0] : undefined;
    if (type === 'integer') {
      const bits = plan.format === 'int32' ? 31 : 63;
      const isWhole = typeof value === 'bigint' || Number.isInteger(value);
      if (!isWhole || value < -(2 ** bits) || value >= 2 ** bits) {
        const format = plan.format === '' ? '(default format)' : `with format ${plan.format}`;
        this.stray(`Checked value must be of type integer ${format} in ${this.name}`);
      }
    } else if (type === 'number' && plan.format === 'float' && !Number.isFinite(Math.fround(Number(value)))) {
      this.stray(`Checked value must be of type number with format float in ${this.name}`);
    }
  }

  private items(list: readonly unknown[], plan: Plan, old: unknown): void {
    const { items } = plan;
    const oldList = Array.isArray(old) ? old : undefined;
    if (items) {
      for (let i = 0; i < list.length; i++) {
        this.trail.push(i);
        this.check(list[i], items, oldList ? oldItem(list[i], i, oldList, plan) : undefined);
        this.trail.pop();
      }
    }
    const { minItems, maxItems, uniqueItems } = plan.schema;
    if (minItems !== undefined && list.length < minItems)
      this.fail(list.length, `should have at least ${minItems} items`);
    if (maxItems !== undefined && list.length > maxItems) {
      this.add(() => tooMany(this.where, list.length, maxItems));
    }
    if (uniqueItems && new Set(list.map((item) => renderBadValue(item))).size < list.length) {
      this.fail('', "shouldn't contain duplicates");
    }
  }

  private object(object: Fields, plan: Plan, old: unknown): void {
    const { minProperties, maxProperties } = plan.schema;
    if (minProperties !== undefined || maxProperties !== undefined) {
      const size = Object.keys(object).length;
      if (minProperties !== undefined && size < minProperties) {
        this.fail(size, `should have at least ${minProperties} properties`);
        return;
      }
      if (maxProperties !== undefined && size > maxProperties) {
        this.add(() => tooMany(this.where, size, maxProperties));
        return;
      }
    }
    const oldObject = isObject(old) ? old : undefined;
    for (const key in object) {
      const child = plan.properties?.get(key) ?? plan.additional;
      if (!child) continue;
      this.trail.push(key);
      this.check(object[key], child, oldObject?.[key]);
      this.trail.pop();
    }
    for (const key of plan.required) if (!(key in object)) this.missing(key);
    if (plan.embedded) this.embedded(object);
  }

  private missing(key: string): void {
    this.trail.push(key);
    this.add(() => required(this.where));
    this.trail.pop();
  }

  private embedded(object: Fields): void {
    for (const key of ['apiVersion', 'kind']) {
      if (object[key] === undefined) this.missing(key);
      else if (object[key] === '') {
        this.trail.push(key);
        this.add(() => invalid(this.where, '', 'must not be empty'));
        this.trail.pop();
      }
    }
  }

  private enum(value: unknown, plan: Plan): void {
    for (const allowed of plan.enum!) if (allowed === value || (isDeep(value) && dequal(allowed, value))) return;
    const names = plan.enum!.map((allowed) =>
      typeof allowed === 'string' ? allowed : JSON.stringify(sortKeys(allowed)),
    );
    this.add(() => notSupported(this.where, value ?? null, names));
  }

  private junctors(value: unknown, plan: Plan): void {
    const { anyOf, oneOf, allOf, not } = plan;
    if (anyOf.length > 0) {
      const { valid, best } = this.alternatives(value, anyOf, true);
      if (valid === 0) this.strayWith(`${quote(this.name)} must validate at least one schema (anyOf)`, best);
    }
    if (oneOf.length > 0) {
      const { valid, best } = this.alternatives(value, oneOf, false);
      if (valid !== 1) {
        const found = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`;
        this.strayWith(`${quote(this.name)} must validate one and only one schema (oneOf). ${found}`, best);
      }
    }
    if (allOf.length > 0) {
      let valid = 0;
      for (const branch of allOf) {
        const before = this.errors.length;
        this.check(value, branch, undefined);
        if (this.errors.length === before) valid++;
      }
      if (valid < allOf.length) {
        this.stray(`${quote(this.name)} must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`);
      }
    }
    if (not && this.attempt(value, not, true).errors.length === 0) {
      this.stray(`${quote(this.name)} must not validate the schema (not)`);
    }
  }

  private alternatives(value: unknown, branches: readonly Plan[], stopAtFirst: boolean) {
    let valid = 0;
    let best: Plan | undefined;
    let mostChecks = 0;
    for (const branch of branches) {
      const { errors, checks } = this.attempt(value, branch, true);
      if (errors.length === 0) {
        valid++;
        if (stopAtFirst) break;
      } else if (checks > mostChecks) {
        best = branch;
        mostChecks = checks;
      }
    }
    // Most values match an alternative: the messages of the one that came closest are worth a second try only here.
    const isFailure = valid === 0 && best !== undefined && !this.isTrial;
    return { valid, best: isFailure ? this.attempt(value, best!, false).errors : [] };
  }

  private attempt(value: unknown, plan: Plan, isTrial: boolean): { errors: FieldError[]; checks: number } {
    const { errors, checks, isTrial: wasTrial } = this;
    this.errors = [];
    this.isTrial = isTrial;
    this.check(value, plan, undefined);
    this.isTrial = wasTrial;
    const attempt = { errors: this.errors, checks: this.checks - checks };
    this.errors = errors;
    return attempt;
  }

  private fail(value: unknown, must: string): void {
    this.add(() => invalid(this.where, value, `${this.name} in body ${must}`));
  }

  /** An error that the server does not attach to any field. */
  private stray(message: string): void {
    this.add(() => invalid(nowhere, '', message));
  }

  private strayWith(message: string, more: readonly FieldError[]): void {
    this.stray(message);
    this.errors.push(...more);
  }
}

function typeName(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'boolean';
    case 'bigint':
      return 'integer';
    case 'number':
      return Number.isSafeInteger(value) ? 'integer' : 'number';
    default:
      return Array.isArray(value) ? 'array' : 'object';
  }
}

const isDeep = (value: unknown) => typeof value === 'object' && value !== null;

function isMultiple(value: number | bigint, factor: number): boolean {
  const quotient = factor < 1 ? (1 / factor) * Number(value) : Number(value) / factor;
  return Math.abs(quotient - Math.round(quotient)) < 1e-9;
}

/** The element of the old list that an element of the new one continues. */
function oldItem(item: unknown, index: number, oldList: readonly unknown[], plan: Plan): unknown {
  if (plan.listType !== 'map' || !isObject(item)) return plan.listType === 'set' ? undefined : oldList[index];
  const keys = plan.schema['x-kubernetes-list-map-keys'] ?? [];
  return oldList.find((old) => isObject(old) && keys.every((key) => old[key] === item[key]));
}
