import { type Status, StatusError } from '../status.ts';
import { quote, renderBadValue } from './go-text.ts';
import type { Path } from './path.ts';

/** Why a field was refused, in the words of a Status cause. */
type FieldErrorReason =
  | 'FieldValueDuplicate'
  | 'FieldValueForbidden'
  | 'FieldValueInvalid'
  | 'FieldValueNotFound'
  | 'FieldValueNotSupported'
  | 'FieldValueRequired'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTypeInvalid'
  | 'InternalError';

/** One mistake in an object. `message` is without the field, as a cause carries it. */
export interface FieldError {
  readonly reason: FieldErrorReason;
  readonly field: string;
  readonly message: string;
}

type Where = Path | string;

const make = (reason: FieldErrorReason, where: Where, message: string): FieldError => ({
  reason,
  field: String(where),
  message,
});
/** Stands for a value that is too large to be shown. */
export const omitted = Symbol('omitted');
const withValue = (head: string, value: unknown) => (value === omitted ? head : `${head}: ${renderBadValue(value)}`);
const withDetail = (head: string, detail: string) => (detail === '' ? head : `${head}: ${detail}`);

export const required = (where: Where, detail = ''): FieldError =>
  make('FieldValueRequired', where, withDetail('Required value', detail));

export const invalid = (where: Where, value: unknown, detail: string): FieldError =>
  make('FieldValueInvalid', where, withDetail(withValue('Invalid value', value), detail));

export const typeInvalid = (where: Where, value: unknown, detail: string): FieldError =>
  make('FieldValueTypeInvalid', where, withDetail(`Invalid value: ${renderBadValue(value)}`, detail));

export const forbidden = (where: Where, detail: string): FieldError =>
  make('FieldValueForbidden', where, withDetail('Forbidden', detail));

export const duplicate = (where: Where, value: unknown): FieldError =>
  make('FieldValueDuplicate', where, withValue('Duplicate value', value));

export const notFound = (where: Where, value: unknown): FieldError =>
  make('FieldValueNotFound', where, `Not found: ${renderBadValue(value)}`);

/** `supported` in the order given: Kubernetes sorts some lists and not others. */
export const notSupported = (where: Where, value: unknown, supported: readonly string[]): FieldError =>
  make(
    'FieldValueNotSupported',
    where,
    withDetail(
      `Unsupported value: ${renderBadValue(value)}`,
      supported.length === 0 ? '' : `supported values: ${supported.map(quote).join(', ')}`,
    ),
  );

export const tooLong = (where: Where, maxBytes: number): FieldError =>
  make('FieldValueTooLong', where, `Too long: may not be more than ${maxBytes} ${maxBytes === 1 ? 'byte' : 'bytes'}`);

export const tooMany = (where: Where, actual: number, max: number): FieldError =>
  make('FieldValueTooMany', where, `Too many: ${actual}: must have at most ${max} ${max === 1 ? 'item' : 'items'}`);

export const internalError = (where: Where, detail: string): FieldError =>
  make('InternalError', where, `Internal error: ${detail}`);

/** The field and the message in one line. */
export const renderFieldError = (error: FieldError): string => `${error.field}: ${error.message}`;

/** Several errors as Kubernetes prints a list: one bare, more in brackets, repeats only once. */
function renderFieldErrors(errors: readonly FieldError[]): string {
  const lines = [...new Set(errors.map(renderFieldError))];
  return lines.length === 1 ? lines[0]! : `[${lines.join(', ')}]`;
}

interface InvalidObject {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  readonly errors: readonly FieldError[];
}

/** The 422 answer for an object with these mistakes. */
export function invalidStatus({ group, kind, name, errors }: InvalidObject): StatusError {
  const qualified = group === '' ? kind : `${kind}.${group}`;
  const head = `${qualified} ${quote(name)} is invalid`;
  const status: Status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: errors.length === 0 ? head : `${head}: ${renderFieldErrors(errors)}`,
    reason: 'Invalid',
    details: {
      ...(name === '' ? {} : { name }),
      ...(group === '' ? {} : { group }),
      kind,
      ...(errors.length === 0
        ? {}
        : { causes: errors.map(({ reason, message, field }) => ({ reason, message, field })) }),
    },
    code: 422,
  };
  return new StatusError(status);
}
