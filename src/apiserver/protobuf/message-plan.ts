import recorded from './generated/messages.json' with { type: 'json' };
import { type JsonForm, jsonForms } from './json-form.ts';

export type Scalar = 'bool' | 'bytes' | 'double' | 'int32' | 'int64' | 'json' | 'string';

/** How one field is read. */
export interface FieldPlan {
  /** The name in JSON; empty when the fields of the message stand in its parent. */
  readonly name: string;
  readonly shape: 'list' | 'map' | 'single';
  readonly type: Scalar | MessagePlan;
  /** JSON leaves out the zero value. Never true of Go's pointers: there a zero was meant. */
  readonly omitsZero: boolean;
}

/** How one message is read. */
export interface MessagePlan {
  /** By field number. */
  readonly fields: readonly (FieldPlan | undefined)[];
  /** Absent where the JSON is an object with the fields. */
  readonly form?: JsonForm;
}

type RecordedField = readonly [number: number, name: string, type: string, omitsZero?: 'z'];
type RecordedMessage = readonly RecordedField[] | string;

const { kinds, messages } = recorded as unknown as {
  readonly kinds: Readonly<Record<string, string>>;
  readonly messages: Readonly<Record<string, RecordedMessage>>;
};
const kindNames: ReadonlyMap<string, string> = new Map(Object.entries(kinds));
const plans = new Map<string, MessagePlan>();

/** The plan of a built-in kind, or undefined when there is none. */
export function planOfKind(apiVersion: string, kind: string): MessagePlan | undefined {
  // Clients send DeleteOptions in the group and version of what they delete.
  const name = kindNames.get(kind === 'DeleteOptions' ? 'v1/DeleteOptions' : `${apiVersion}/${kind}`);
  return name === undefined ? undefined : planOf(name);
}

/** Compiled on first use: most processes meet few kinds. */
function planOf(name: string): MessagePlan {
  const known = plans.get(name);
  if (known) return known;
  const message = messages[name]!;
  const fields: (FieldPlan | undefined)[] = [];
  const form = typeof message === 'string' ? bareForm(message) : jsonForms.get(name);
  const plan: MessagePlan = form ? { fields, form } : { fields };
  // Schemas contain schemas: the plan must be known before its fields are looked at.
  plans.set(name, plan);
  const entries: readonly RecordedField[] = typeof message === 'string' ? [[1, 'value', message]] : message;
  for (const [number, fieldName, type, omitsZero] of entries) {
    const shape = type.startsWith('[]') ? 'list' : type.startsWith('{}') ? 'map' : 'single';
    const element = shape === 'single' ? type : type.slice(2);
    fields[number] = {
      name: fieldName,
      shape,
      type: element.includes('.') ? planOf(element) : (element as Scalar),
      omitsZero: omitsZero === 'z',
    };
  }
  return plan;
}

function bareForm(type: string): JsonForm {
  return type.startsWith('[]') ? ({ value }) => value ?? [] : ({ value }) => value ?? null;
}
