import { estimateCost } from '../../../cel/index.ts';
import type { Schema } from '../../../schema/index.ts';
import { type FieldError, forbidden, internalError, invalid } from '../field-error.ts';
import { Verbatim } from '../go-text.ts';
import type { Path } from '../path.ts';
import { type DeclType, declTypeOf, isEmbedded, maxElementsAt, maxRequestBytes } from './decl-type.ts';
import { type CompiledRule, compileRules, hasRules } from './rules.ts';

const ruleLimit = 10_000_000;
const schemaLimit = 100_000_000;

interface Node {
  readonly schema: Schema;
  readonly where: Path;
  readonly isRoot: boolean;
  /** How often a value of this node can be in a resource; undefined where nothing limits it. */
  readonly cardinality: number | undefined;
  /** The part of the schema above whose elements cannot be recognized in an old object. */
  readonly uncorrelatable?: Path;
}

interface RuleCost {
  readonly where: Path;
  readonly cost: number;
}

interface RuleCheckOptions {
  /** An unchanged schema keeps rules that would be too expensive today. */
  readonly isUnchanged: boolean;
}

/** Compiles all rules of a structural schema and estimates what they can cost. */
export function checkSchemaRules(schema: Schema, where: Path, { isUnchanged }: RuleCheckOptions): FieldError[] {
  if (!hasRules(schema)) return [];
  const check = new RuleCheck(isUnchanged);
  check.visit({ schema, where, isRoot: true, cardinality: 1 });
  check.checkTotal(where);
  return check.errors;
}

class RuleCheck {
  readonly errors: FieldError[] = [];
  private total = 0;
  private expensive: RuleCost[] = [];

  constructor(private readonly isUnchanged: boolean) {}

  visit(node: Node): void {
    const { schema, where } = node;
    if (!hasRules(schema)) return;
    const { properties = {}, additionalProperties, items } = schema;
    if (typeof additionalProperties === 'object') {
      this.visit(child(node, additionalProperties, where.child('additionalProperties')));
    }
    for (const [key, property] of Object.entries(properties)) {
      this.visit(child(node, property, where.child('properties').key(key)));
    }
    if (items) {
      const isMap = schema['x-kubernetes-list-type'] === 'map';
      const below = child(node, items, where.child('items'));
      this.visit(isMap || node.uncorrelatable ? below : { ...below, uncorrelatable: where });
    }
    this.checkNode(node);
  }

  checkTotal(where: Path): void {
    if (this.total <= schemaLimit) return;
    for (const { where: place } of this.expensive) {
      const why = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
      this.errors.push(forbidden(place, why));
    }
    const what = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    this.errors.push(forbidden(where, exceeds(what, this.total, schemaLimit)));
  }

  private checkNode(node: Node): void {
    const { schema, isRoot } = node;
    if ((schema['x-kubernetes-validations'] ?? []).length === 0) return;
    const where = node.where.child('x-kubernetes-validations');
    const declared = declTypeOf(schema, isRoot || isEmbedded(schema), 'selfType');
    if (!declared) {
      const why = 'failed to construct type information for x-kubernetes-validations rules';
      this.errors.push(
        internalError(where, `internal error: ${why}: unable to convert structural schema to CEL declarations`),
      );
      return;
    }
    for (const [i, rule] of compileRules(schema, declared).entries()) this.checkRule(rule, declared, node, where.at(i));
  }

  private checkRule(compiled: CompiledRule, declared: DeclType, node: Node, where: Path): void {
    const { rule, program, variables, error, message, messageError, usesOldSelf } = compiled;
    const sizes = (path: readonly string[]) => maxElementsAt(declared, path);
    const times = node.cardinality ?? Math.trunc(maxRequestBytes / (declared.minSize + 1));
    const cost = program ? estimateCost(rule.rule, variables, sizes) * times : 0;
    this.observe(where.child('rule'), cost, 'estimated rule cost');
    const shown = new Verbatim(ruleAsGo(rule));
    if (error !== undefined) this.errors.push(invalid(where.child('rule'), shown, error));
    if (messageError !== undefined) {
      this.errors.push(invalid(where.child('messageExpression'), shown, messageError));
    } else if (message) {
      const messageCost = estimateCost(message.expression, variables, sizes);
      this.observe(where.child('messageExpression'), messageCost, 'estimated messageExpression cost');
    }
    if (usesOldSelf && node.uncorrelatable) {
      const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${node.uncorrelatable}`;
      this.errors.push(invalid(where.child('rule'), rule.rule, why));
    } else if (!usesOldSelf && rule.optionalOldSelf !== undefined) {
      const why = 'may not be set if oldSelf is not used in rule';
      this.errors.push(invalid(where.child('optionalOldSelf'), rule.optionalOldSelf, why));
    }
  }

  private observe(where: Path, cost: number, what: string): void {
    if (!this.isUnchanged && cost > ruleLimit) this.errors.push(forbidden(where, exceeds(what, cost, ruleLimit)));
    this.total += cost;
    if (cost < schemaLimit / 100) return;
    this.expensive = [...this.expensive, { where, cost }].sort((a, b) => b.cost - a.cost).slice(0, 4);
  }
}

function child({ schema, cardinality, uncorrelatable }: Node, below: Schema, where: Path): Node {
  const most = maxChildren(schema);
  return {
    schema: below,
    where,
    isRoot: false,
    cardinality: cardinality === undefined || most === undefined ? undefined : cardinality * most,
    ...(uncorrelatable ? { uncorrelatable } : {}),
  };
}

function maxChildren({ type, additionalProperties, maxProperties, maxItems }: Schema): number | undefined {
  if (type === 'array') return maxItems === undefined ? undefined : Math.max(0, maxItems);
  if (type !== 'object' || additionalProperties === undefined) return 1;
  return maxProperties === undefined ? undefined : Math.max(0, maxProperties);
}

function exceeds(what: string, cost: number, limit: number): string {
  const times = cost / limit;
  const factor = times > 100 ? 'more than 100' : times < 1.5 ? times.toFixed(6) : times.toFixed(1);
  const advice = 'adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared';
  return `${what} exceeds budget by factor of ${factor}x (try simplifying the rule, or ${advice})`;
}

/** As the server shows a rule that it refuses: with the names of its own fields. */
function ruleAsGo(rule: CompiledRule['rule']): string {
  const { message = '', messageExpression = '', reason = null, fieldPath = '', optionalOldSelf = null } = rule;
  return JSON.stringify({
    Rule: rule.rule,
    Message: message,
    MessageExpression: messageExpression,
    Reason: reason,
    FieldPath: fieldPath,
    OptionalOldSelf: optionalOldSelf,
  });
}
