import {
  maskTrailingDash,
  validateDns1035Label,
  validateDnsLabel,
  validateDnsSubdomain,
  validateLabelValue,
  validateQualifiedName,
} from '../../object/index.ts';
import type { FunctionDecl } from '../environment.ts';
import { listType, opaqueType, optionalType, stringType } from '../types.ts';
import { parseTimestamp } from '../values/time.ts';
import { CelError, CelOpaque, CelOptional, none } from '../values/values.ts';
import { declare, form, member } from './declare.ts';
import { parseRequestUri } from './go-url.ts';

type Validate = (text: string) => readonly string[];

class CelNamedFormat extends CelOpaque {
  readonly typeName = 'kubernetes.NamedFormat';
  readonly size = 1;
  constructor(
    readonly name: string,
    readonly validate: Validate,
    /** How long a regular expression for it is: what a validation costs follows from it. */
    readonly regexSize: number,
  ) {
    super();
  }
  equals(other: unknown): boolean | undefined {
    return other instanceof CelNamedFormat ? this.name === other.name : undefined;
  }
}

export const namedFormatType = opaqueType('kubernetes.NamedFormat');

const prefixed =
  (validate: Validate): Validate =>
  (text) =>
    validate(maskTrailingDash(text));

const test =
  (isValid: (text: string) => boolean, message: string): Validate =>
  (text) =>
    isValid(text) ? [] : [message];

const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/;

/** The year 0 is one here, though no timestamp has it. */
const isTime = (text: string) => !(parseTimestamp(text.toUpperCase().replace(/^0000-/, '2000-')) instanceof CelError);

const formats: Readonly<Record<string, CelNamedFormat>> = {
  dns1123Label: new CelNamedFormat('DNS1123Label', validateDnsLabel, 30),
  dns1123Subdomain: new CelNamedFormat('DNS1123Subdomain', validateDnsSubdomain, 60),
  dns1035Label: new CelNamedFormat('DNS1035Label', validateDns1035Label, 30),
  qualifiedName: new CelNamedFormat('QualifiedName', validateQualifiedName, 60),
  dns1123LabelPrefix: new CelNamedFormat('DNS1123LabelPrefix', prefixed(validateDnsLabel), 30),
  dns1123SubdomainPrefix: new CelNamedFormat('DNS1123SubdomainPrefix', prefixed(validateDnsSubdomain), 60),
  dns1035LabelPrefix: new CelNamedFormat('DNS1035LabelPrefix', prefixed(validateDns1035Label), 30),
  labelValue: new CelNamedFormat('LabelValue', validateLabelValue, 40),
  uri: new CelNamedFormat(
    'URI',
    (text) => {
      const parts = parseRequestUri(text);
      return typeof parts === 'string' ? [parts] : [];
    },
    1103,
  ),
  uuid: new CelNamedFormat(
    'uuid',
    test((text) => uuid.test(text), 'does not match the UUID format'),
    70,
  ),
  byte: new CelNamedFormat(
    'byte',
    test((text) => base64.test(text), 'invalid base64'),
    84,
  ),
  date: new CelNamedFormat(
    'date',
    test((text) => isTime(`${text}T00:00:00Z`), 'invalid date'),
    71,
  ),
  datetime: new CelNamedFormat('datetime', test(isTime, 'invalid datetime'), 71),
};

export const namedFormatFunctions: readonly FunctionDecl[] = [
  ...Object.entries(formats).map(([name, format]) =>
    declare(
      `format.${name}`,
      form(`format.${name}`, [], namedFormatType, () => format),
    ),
  ),
  declare(
    'format.named',
    form('format-named', [stringType], optionalType(namedFormatType), (name: string) =>
      Object.hasOwn(formats, name) ? new CelOptional(formats[name]) : none,
    ),
  ),
  declare(
    'validate',
    member(
      'format-validate',
      [namedFormatType, stringType],
      optionalType(listType(stringType)),
      (format: CelNamedFormat, text: string) => {
        const issues = format.validate(text);
        return issues.length === 0 ? none : new CelOptional(issues);
      },
    ),
  ),
];
