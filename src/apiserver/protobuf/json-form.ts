import { type Json, rfc3339 } from '../../base/index.ts';
import { invalid } from './protobuf-error.ts';

/** The JSON form of a message, from its fields. Null stands for a value that JSON omits. */
export type JsonForm = (fields: Readonly<Record<string, Json | undefined>>) => Json;

const crd = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1';
const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** Messages whose JSON form is not an object, or not the one of their fields. */
export const jsonForms: ReadonlyMap<string, JsonForm> = new Map<string, JsonForm>([
  [`${meta}.Time`, (fields) => timeOf(fields, (seconds) => rfc3339(seconds * 1000))],
  [`${meta}.MicroTime`, (fields) => timeOf(fields, microTime)],
  ['io.k8s.apimachinery.pkg.api.resource.Quantity', ({ string }) => string ?? '0'],
  ['io.k8s.apimachinery.pkg.util.intstr.IntOrString', intOrString],
  [`${crd}.JSONSchemaPropsOrArray`, ({ jSONSchemas, schema }) => jSONSchemas ?? schema ?? null],
  [`${crd}.JSONSchemaPropsOrBool`, ({ allows, schema }) => schema ?? allows ?? false],
  [`${crd}.JSONSchemaPropsOrStringArray`, ({ property, schema }) => property ?? schema ?? null],
]);

type Fields = Parameters<JsonForm>[0];

// The first second of year 1 is Go's zero time.
const firstSecond = -62_135_596_800;
const lastSecond = 253_402_300_799;

function timeOf(fields: Fields, render: (seconds: number, micros: number) => string): Json {
  // The zero time is an empty message; the epoch has explicit zeroes.
  if (fields['seconds'] === undefined && fields['nanos'] === undefined) return null;
  const allMicros = Math.trunc(Number(fields['nanos'] ?? 0) / 1000);
  const carry = Math.floor(allMicros / 1e6);
  const seconds = Number(fields['seconds'] ?? 0) + carry;
  if (seconds < firstSecond || seconds > lastSecond) throw invalid(`no such time: ${seconds} seconds after 1970`);
  return seconds === firstSecond ? null : render(seconds, allMicros - carry * 1e6);
}

function microTime(seconds: number, micros: number): string {
  return rfc3339(seconds * 1000).replace('Z', `.${String(micros).padStart(6, '0')}Z`);
}

function intOrString({ type = 0, intVal = 0, strVal = '' }: Fields): Json {
  if (type !== 0 && type !== 1) throw invalid(`an IntOrString of the type ${type}`);
  return type === 0 ? intVal : strVal;
}
