import { dequal } from 'dequal';
import { CelError, CelOptional, none } from '../../../cel/index.ts';
import type { Schema, ValidationRule } from '../../../schema/index.ts';
import { duplicate, type FieldError, forbidden, invalid, omitted, renderFieldError, required } from '../field-error.ts';
import { Path } from '../path.ts';
import { type Fields, isObject } from '../value.ts';
import { isEmbedded } from './decl-type.ts';
import { type CompiledRule, hasRules, rulesOf } from './rules.ts';
import { ruleValue } from './value.ts';

const objectBudget = 10_000_000;
const maxMessageBytes = 5 * 1024;
const budgetSpent = 'validation failed due to running out of cost budget, no further validation rules will be run';

interface RuleFindings {
  readonly errors: readonly FieldError[];
  /** Rules that do not hold for a part that was so before. */
  readonly warnings: readonly string[];
}

/** Evaluates the rules of a schema for a custom resource, and those about changes against what it was. */
export function checkRules(object: Fields, schema: Schema, old?: Fields): RuleFindings {
  if (!hasRules(schema)) return noFindings;
  const walk = new RuleWalk();
  walk.visit({
    schema,
    value: object,
    old,
    isRoot: true,
    where: undefined,
    correlated: old !== undefined && { value: object, old },
  });
  return walk;
}

const noFindings: RuleFindings = { errors: [], warnings: [] };

/** A value with what it was, where the two belong together; `false` below which nothing does. */
type Correlated = { readonly value: unknown; readonly old: unknown } | false;

interface Visit {
  readonly schema: Schema;
  readonly value: unknown;
  /** For rules about changes. */
  readonly old: unknown;
  readonly isRoot: boolean;
  readonly where: Path | undefined;
  /** For letting pass what did not change; `parent` stands in where nothing belongs together. */
  readonly correlated: Correlated;
  readonly parent?: Correlated;
}

class RuleWalk implements RuleFindings {
  readonly errors: FieldError[] = [];
  readonly warnings: string[] = [];
  private left = objectBudget;

  /** False when the budget is spent. */
  visit(visit: Visit): boolean {
    const { schema, value } = visit;
    if (value === null || value === undefined || !hasRules(schema)) return true;
    if (!this.evaluate(visit, schema)) return false;
    if (Array.isArray(value)) return this.visitItems(value, visit);
    return isObject(value) ? this.visitFields(value, visit) : true;
  }

  private visitItems(list: readonly unknown[], { schema, old, where, correlated, parent }: Visit): boolean {
    const { items } = schema;
    if (!items) return true;
    const oldOf = correlator(schema, old);
    const ratchetOf = correlated ? correlator(schema, correlated.old) : () => undefined;
    return list.every((value, i) => {
      const before = ratchetOf(value);
      return this.visit({
        schema: items,
        value,
        old: oldOf(value),
        isRoot: isEmbedded(items),
        where: (where ?? Path.of('')).at(i),
        correlated: before === undefined ? false : { value, old: before },
        parent: correlated || parent || false,
      });
    });
  }

  private visitFields(object: Fields, { schema, old, where, correlated, parent }: Visit): boolean {
    const { properties, additionalProperties } = schema;
    const before = isObject(old) ? old : {};
    const ratchet = correlated && isObject(correlated.old) ? correlated.old : undefined;
    const isTop = where === undefined;
    return Object.entries(object).every(([key, value]) => {
      const field = properties?.[key];
      const child = field ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
      if (!child) return true;
      const isIdentity = isTop && (key === 'apiVersion' || key === 'kind');
      const known = ratchet && Object.hasOwn(ratchet, key) ? { value, old: ratchet[key] } : false;
      return this.visit({
        schema: child,
        value,
        old: before[key],
        isRoot: isEmbedded(child),
        where: where ? (field ? where.child(key) : where.key(key)) : Path.of(key),
        correlated: isIdentity ? false : known,
        parent: isIdentity ? false : correlated || parent || false,
      });
    });
  }

  private evaluate(visit: Visit, schema: Schema): boolean {
    const rules = rulesOf(schema, visit.isRoot);
    if (rules.length === 0) return true;
    const { value, old, where } = visit;
    const type = schema.type ?? '';
    if (this.left <= 0) {
      this.errors.push(invalid(where ?? nowhere, type, budgetSpent));
      return false;
    }
    const self = ruleValue(value, schema);
    const hasOld = old !== undefined && old !== null;
    const oldSelf = hasOld && rules.some(({ usesOldSelf }) => usesOldSelf) ? ruleValue(old, schema) : undefined;
    for (const rule of rules) if (!this.apply(rule, visit, type, self, oldSelf)) return false;
    return true;
  }

  private apply(compiled: CompiledRule, visit: Visit, type: string, self: unknown, oldSelf: unknown): boolean {
    const { rule, program, error, usesOldSelf } = compiled;
    const at = visit.where ?? nowhere;
    if (!program) {
      if (error !== undefined) this.errors.push(invalid(at, type, `rule compile error: ${error}`));
      return true;
    }
    const isOptional = rule.optionalOldSelf === true;
    if (usesOldSelf && oldSelf === undefined && !isOptional) return true;
    const previous = isOptional ? (oldSelf === undefined ? none : new CelOptional(oldSelf)) : oldSelf;
    const { value, cost } = program.evaluate([self, previous]);
    if (cost > this.left) return this.stop(invalid(at, type, budgetSpent));
    this.left -= cost;
    if (value instanceof CelError) return this.failed(value.message, rule, at, type);
    return value === true || this.refuse(compiled, visit, type, [self, oldSelf]);
  }

  private failed(message: string, rule: ValidationRule, at: Path | string, type: string): boolean {
    const about = ruleText(rule);
    if (message.startsWith('no such overload')) {
      const why = 'call arguments did not match a supported operator, function or macro signature for rule';
      this.errors.push(invalid(at, type, `'${message}': ${why}: ${about}`));
    } else if (message.startsWith('operation cancelled: actual cost limit exceeded')) {
      const why = 'no further validation rules will be run due to call cost exceeds limit for rule';
      return this.stop(invalid(at, type, `'${message}': ${why}: ${about}`));
    } else this.errors.push(invalid(at, type, `${message} evaluating rule: ${about}`));
    return true;
  }

  private stop(error: FieldError): false {
    this.errors.push(error);
    this.left = -1;
    return false;
  }

  private refuse(compiled: CompiledRule, visit: Visit, type: string, inputs: readonly unknown[]): boolean {
    const { rule, place, usesOldSelf } = compiled;
    const where = place ? place(visit.where) : visit.where;
    const at = where ?? nowhere;
    const add = (error: FieldError) => {
      if (!usesOldSelf && isUnchanged(visit)) this.warnings.push(renderFieldError(error));
      else this.errors.push(error);
    };
    const message = this.messageOf(compiled, inputs);
    if (typeof message === 'object') {
      add(invalid(at, type, message.fatal));
      this.left = -1;
      return false;
    }
    const detail = message ?? (rule.message ? rule.message.trim() : `failed rule: ${ruleText(rule)}`);
    const shown = type === 'object' || type === 'array' ? omitted : visit.value;
    add(errorFor(rule.reason, at, shown, detail));
    return true;
  }

  /** Undefined for none that can be shown; `fatal` when it costs too much. */
  private messageOf(
    { rule, message }: CompiledRule,
    inputs: readonly unknown[],
  ): string | { fatal: string } | undefined {
    if (!message) return undefined;
    const { value, cost } = message.evaluate(inputs);
    if (cost > this.left) {
      return {
        fatal:
          'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run',
      };
    }
    this.left -= cost;
    if (value instanceof CelError && value.message.startsWith('operation cancelled')) {
      const shown = JSON.stringify(rule.messageExpression);
      return {
        fatal: `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${shown}`,
      };
    }
    if (typeof value !== 'string') return undefined;
    const text = value.trim();
    return text === '' || text.includes('\n') || Buffer.byteLength(text) > maxMessageBytes ? undefined : text;
  }
}

/** What the server writes for an error of the whole object. */
const nowhere = '<nil>';

const ruleText = ({ rule, message = '' }: ValidationRule) => (message === '' ? rule : message).trim();

function errorFor(reason: string | undefined, at: Path | string, value: unknown, detail: string): FieldError {
  switch (reason) {
    case 'FieldValueForbidden':
      return forbidden(at, detail);
    case 'FieldValueRequired':
      return required(at, detail);
    case 'FieldValueDuplicate':
      return duplicate(at, value);
    default:
      return invalid(at, value, detail);
  }
}

function isUnchanged({ correlated, parent = false }: Visit): boolean {
  const pair = correlated || parent;
  return pair !== false && dequal(pair.value, pair.old);
}

/** Finds the element that an element of a list of type map was before; other lists have none. */
function correlator(schema: Schema, old: unknown): (item: unknown) => unknown {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  if (schema['x-kubernetes-list-type'] !== 'map' || !Array.isArray(old)) return () => undefined;
  return (item) =>
    isObject(item)
      ? old.find(
          (before) => isObject(before) && keys.every((key) => item[key] !== undefined && item[key] === before[key]),
        )
      : undefined;
}
