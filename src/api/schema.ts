/** Structural schemas (`apiextensions.k8s.io/v1`) as data, in a short notation. */
export interface Schema {
  readonly type?: 'object' | 'array' | 'string' | 'boolean' | 'integer';
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly default?: unknown;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly 'x-kubernetes-preserve-unknown-fields'?: true;
  readonly 'x-kubernetes-validations'?: readonly Validation[];
}

/** A CEL rule that the API server checks, with its message. */
export interface Validation {
  readonly rule: string;
  readonly message: string;
}

/** Any value: the policy engine checks patterns, patches and expressions. */
export const anything: Schema = { 'x-kubernetes-preserve-unknown-fields': true };
export const text: Schema = { type: 'string' };
export const flag: Schema = { type: 'boolean' };
export const integer: Schema = { type: 'integer' };
export const int64: Schema = { type: 'integer', format: 'int64' };
export const time: Schema = { type: 'string', format: 'date-time' };
export const texts: Schema = { type: 'array', items: text };
export const textMap: Schema = { type: 'object', additionalProperties: text };

export const oneOf = (...values: readonly string[]): Schema => ({ type: 'string', enum: values });
export const listOf = (items: Schema): Schema => ({ type: 'array', items });
export const described = (description: string, schema: Schema): Schema => ({ description, ...schema });
export const withDefault = (value: unknown, schema: Schema): Schema => ({ ...schema, default: value });

export function object(properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema {
  return { type: 'object', ...(required.length > 0 ? { required } : {}), properties };
}

/** An object without fixed fields. */
export const freeObject: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

export const labelSelector: Schema = object({
  matchLabels: described('Labels that must all be there, with these values.', textMap),
  matchExpressions: described(
    'Conditions that must all hold.',
    listOf(
      object(
        {
          key: described('The label.', text),
          operator: described('In, NotIn, Exists or DoesNotExist.', text),
          values: described('The values for In and NotIn.', texts),
        },
        ['key', 'operator'],
      ),
    ),
  ),
});

export const conditions: Schema = listOf(
  object(
    {
      type: described('What the condition is about.', text),
      status: described('Whether it holds.', oneOf('True', 'False', 'Unknown')),
      reason: described('Why, as one word for programs.', text),
      message: described('Why, for people.', text),
      lastTransitionTime: described('When the status last changed.', time),
      observedGeneration: described('The generation of the object that the condition is about.', int64),
    },
    ['type', 'status', 'reason', 'message', 'lastTransitionTime'],
  ),
);

export const validated = (schema: Schema, ...rules: readonly Validation[]): Schema => ({
  ...schema,
  'x-kubernetes-validations': rules,
});

/** Exactly one of these optional fields must be set. */
export function exactlyOne(...fields: readonly string[]): Validation {
  const count = fields.map((field) => `(has(self.${field}) ? 1 : 0)`).join(' + ');
  return { rule: `${count} == 1`, message: `exactly one of ${fields.join(', ')} must be set` };
}

/** In Go's notation: `5m`, `1h30m`. */
export const duration: Schema = { type: 'string', pattern: '^([0-9]+(\\.[0-9]+)?(ms|s|m|h))+$' };
export const nonEmpty: Schema = { type: 'string', minLength: 1 };
