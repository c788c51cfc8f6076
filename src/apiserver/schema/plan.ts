import { RE2JS } from 're2js';
import type { Schema } from '../../schema/index.ts';
import { knownFormat } from './formats.ts';
import { type GoKind, goKindOf } from './go-kind.ts';
import type { Writing } from './go-writing.ts';

/**
 * A schema node prepared for walking: every keyword looked up once, children linked directly. All four walks
 * (prune, default, validate, decode) share it, and all plans have one shape so that the walks stay fast.
 */
export class Plan {
  readonly types: readonly string[];
  readonly format: string;
  readonly definition: string;
  readonly nullable: boolean;
  readonly preserve: boolean;
  readonly embedded: boolean;
  readonly intOrString: boolean;
  readonly required: readonly string[];
  readonly defaultValue: unknown;
  readonly enum: readonly unknown[] | undefined;
  /** True when a value needs more than its type and its children checked. */
  readonly hasLimits: boolean;
  readonly hasJunctors: boolean;
  readonly listType: 'atomic' | 'set' | 'map' | undefined;
  /** What a built-in kind decodes this node into. */
  readonly go: GoKind;
  properties: ReadonlyMap<string, Plan> | undefined;
  /** Fields with a default, in the schema's order. */
  defaults: readonly (readonly [string, Plan])[] = [];
  items: Plan | undefined;
  additional: Plan | undefined;
  allOf: readonly Plan[] = [];
  anyOf: readonly Plan[] = [];
  oneOf: readonly Plan[] = [];
  not: Plan | undefined;
  private compiledPattern: RE2JS | undefined;
  /** Worked out by `writingOf` when first asked for; kept here because a look-up by plan is a cost of its own. */
  writing: Writing | undefined;

  constructor(readonly schema: Schema) {
    this.intOrString = schema['x-kubernetes-int-or-string'] === true;
    this.types = this.intOrString ? ['integer', 'string'] : schema.type === undefined ? [] : [schema.type];
    this.format = knownFormat(this.types.length === 1 ? this.types[0]! : '', schema.format);
    this.definition = schema.definition ?? '';
    this.nullable = schema.nullable === true;
    this.preserve = schema['x-kubernetes-preserve-unknown-fields'] === true;
    this.embedded = schema['x-kubernetes-embedded-resource'] === true;
    this.required = schema.required ?? [];
    this.defaultValue = schema.default;
    this.enum = schema.enum && schema.enum.length > 0 ? schema.enum : undefined;
    this.listType = schema['x-kubernetes-list-type'];
    this.go = goKindOf(schema);
    this.hasLimits = limitKeywords.some((keyword) => schema[keyword] !== undefined) || this.format !== '';
    this.hasJunctors = junctorKeywords.some((keyword) => schema[keyword] !== undefined);
    this.properties = undefined;
    this.items = undefined;
    this.additional = undefined;
    this.not = undefined;
    this.compiledPattern = undefined;
    this.writing = undefined;
  }

  /** The pattern, compiled when first needed; throws when it is not RE2 syntax (`checkCrd` refuses those). */
  get pattern(): RE2JS | undefined {
    if (this.schema.pattern === undefined || this.schema.pattern === '') return undefined;
    this.compiledPattern ??= RE2JS.compile(this.schema.pattern);
    return this.compiledPattern;
  }
}

const limitKeywords = [
  'maxLength',
  'minLength',
  'pattern',
  'maximum',
  'minimum',
  'multipleOf',
  'maxItems',
  'minItems',
  'uniqueItems',
  'maxProperties',
  'minProperties',
] as const;
const junctorKeywords = ['allOf', 'anyOf', 'oneOf', 'not'] as const;

const plans = new WeakMap<Schema, Plan>();

/** The plan of a schema; made once for every node of the graph. */
export function planOf(schema: Schema): Plan {
  const known = plans.get(schema);
  if (known) return known;
  const plan = new Plan(schema);
  // Registered before its children are planned: the graph may be cyclic.
  plans.set(schema, plan);
  if (schema.properties) {
    const properties = new Map<string, Plan>();
    for (const key of Object.keys(schema.properties)) properties.set(key, planOf(schema.properties[key]!));
    plan.properties = properties;
    plan.defaults = [...properties].filter(([, child]) => !isEmptyDefault(child.defaultValue));
  }
  if (schema.items) plan.items = planOf(schema.items);
  if (typeof schema.additionalProperties === 'object') plan.additional = planOf(schema.additionalProperties);
  else if (schema.additionalProperties === true) plan.additional = anything;
  if (schema.allOf) plan.allOf = schema.allOf.map(planOf);
  if (schema.anyOf) plan.anyOf = schema.anyOf.map(planOf);
  if (schema.oneOf) plan.oneOf = schema.oneOf.map(planOf);
  if (schema.not) plan.not = planOf(schema.not);
  return plan;
}

const isEmptyDefault = (value: unknown) => value === undefined || value === null;

const anything = new Plan({ 'x-kubernetes-preserve-unknown-fields': true, nullable: true });
