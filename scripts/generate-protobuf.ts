// Writes the protobuf field tables of the built-in kinds, from the sources of the pinned Kubernetes version: numbers and
// types from the .proto files; JSON names, inlining and what JSON omits from the tags of the Go structs.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const fromRoot = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const output = fromRoot('src/apiserver/protobuf/generated/messages.json');

const modules = ['k8s.io/api', 'k8s.io/apimachinery', 'k8s.io/apiextensions-apiserver'];

/** Messages that hold only the bytes of a JSON text. */
const jsonTexts: Readonly<Record<string, Message>> = {
  'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1': 'json',
  'io.k8s.apimachinery.pkg.runtime.RawExtension': 'json',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON': 'json',
};

/** Messages that the decoder writes as JSON itself: their fields keep the names of the .proto file. */
const isRewritten = (message: string) =>
  /\.(Time|MicroTime|IntOrString|Quantity|JSONSchemaPropsOr(Array|Bool|StringArray))$/.test(message);

/**
 * A field is `[number, JSON name, type]`, with a fourth element 'z' where JSON leaves out the zero value; an empty
 * name means that the fields of the message stand in its parent. `[]` before a type is a list, `{}` a map from
 * strings. A message that is a bare type is written as the value of its field 1.
 */
type Field = readonly [number: number, name: string, type: string, omitsZero?: 'z'];
type Message = readonly Field[] | string;

interface ProtoField {
  readonly number: number;
  readonly name: string;
  readonly type: string;
}
interface GoField {
  readonly jsonName: string;
  readonly isInline: boolean;
  readonly omitsZero: boolean;
}
interface Package {
  readonly messages: ReadonlyMap<string, readonly ProtoField[]>;
  readonly structs: ReadonlyMap<string, ReadonlyMap<number, GoField>>;
}
interface Definition {
  readonly properties?: Readonly<Record<string, unknown>>;
}
interface Builtin {
  readonly definitions: Readonly<Record<string, Definition>>;
  readonly kinds: readonly { group: string; version: string; kind: string; definition: string }[];
}

const builtin = JSON.parse(readFileSync(fromRoot('src/schema/generated/builtin.json'), 'utf8')) as Builtin;
const moduleFolders = findModules();
const packages = new Map<string, Package>();
const exceptions: string[] = [];

const messages = reachable(builtin.kinds.map(({ definition }) => definition));
for (const name of messages.keys()) checkAgainstSchema(name);
const text = render();
writeFileSync(output, text);
console.log(`${messages.size} messages, ${Math.round(text.length / 1000)} KB; names of their own:`);
for (const line of exceptions.sort()) console.log(`  ${line}`);

function findModules(): ReadonlyMap<string, string> {
  const cache = execFileSync('go', ['env', 'GOMODCACHE'], { encoding: 'utf8' }).trim();
  const pins = readFileSync(fromRoot('test/assets/go.mod'), 'utf8');
  return new Map(
    modules.map((module) => {
      const version = new RegExp(`=> ${module} (v\\S+)`).exec(pins)?.[1];
      if (!version) throw new Error(`test/assets/go.mod does not pin ${module}`);
      const folder = path.join(cache, `${module}@${version}`);
      if (!existsSync(folder)) throw new Error(`${folder} is missing: run "go mod download" in test/assets`);
      return [module, folder];
    }),
  );
}

function reachable(roots: readonly string[]): ReadonlyMap<string, Message> {
  const done = new Map<string, Message>();
  const waiting = [...roots];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (done.has(name)) continue;
    const message = toMessage(name);
    done.set(name, message);
    const types = typeof message === 'string' ? [message] : message.map(([, , type]) => type);
    waiting.push(...types.map((type) => type.replace(/^(\[\]|\{\})/, '')).filter((type) => type.includes('.')));
  }
  return done;
}

function toMessage(name: string): Message {
  const text = jsonTexts[name];
  if (text) return text;
  const [packageName, messageName] = splitName(name);
  const { messages, structs } = packageOf(packageName);
  const fields = messages.get(messageName);
  if (!fields) throw new Error(`no message ${name}`);
  const struct = structs.get(messageName);
  if (!struct) {
    // A named list in Go has no counterpart in protobuf: it becomes a message with only `items`.
    const only = fields[0];
    if (fields.length !== 1 || only?.name !== 'items') throw new Error(`no struct ${name}`);
    return only.type;
  }
  return fields
    .map((field): Field => {
      if (isRewritten(name)) return [field.number, field.name, field.type];
      const go = struct.get(field.number);
      if (!go) throw new Error(`no Go field for ${name}.${field.name}`);
      if (go.isInline) exceptions.push(`${name}.${field.name} is inlined`);
      else if (go.jsonName === '') throw new Error(`no JSON name for ${name}.${field.name}`);
      else if (go.jsonName !== field.name) exceptions.push(`${name}.${field.name} is ${go.jsonName}`);
      const entry = [field.number, go.isInline ? '' : go.jsonName, field.type] as const;
      // Empty lists and maps are not on the wire, and Go never omits a struct that it writes as a scalar.
      return go.omitsZero && /^\w/.test(field.type) && !isRewritten(field.type) ? [...entry, 'z'] : entry;
    })
    .sort(([a], [b]) => a - b);
}

/** Cross-check with the published schema: both must name the same fields. */
function checkAgainstSchema(name: string): void {
  const definition = builtin.definitions[name];
  if (!definition?.properties || isRewritten(name)) return;
  const published = Object.keys(definition.properties).filter((field) => !['apiVersion', 'kind'].includes(field));
  const ours = new Set(fieldNames(name));
  const missing = published.filter((field) => !ours.has(field));
  const extra = [...ours].filter((field) => !(field in (definition.properties ?? {})));
  if (missing.length + extra.length > 0) {
    throw new Error(`${name}: the schema alone names ${missing.join(' ')}; protobuf alone names ${extra.join(' ')}`);
  }
}

function fieldNames(name: string): readonly string[] {
  const message = messages.get(name);
  if (!Array.isArray(message)) return [];
  return (message as readonly Field[]).flatMap(([, field, type]) => (field === '' ? fieldNames(type) : [field]));
}

function packageOf(name: string): Package {
  const known = packages.get(name);
  if (known) return known;
  const module = modules.find((candidate) => name.startsWith(`${definitionPrefix(candidate)}.`));
  const folder = module && moduleFolders.get(module);
  if (!folder) throw new Error(`no module for ${name}`);
  const source = path.join(folder, ...name.slice(definitionPrefix(module).length + 1).split('.'));
  const structs = readdirSync(source)
    .filter((file) => file.endsWith('.go') && !/_test\.go$|generated/.test(file))
    .flatMap((file) => [...parseStructs(readFileSync(path.join(source, file), 'utf8'))]);
  const read: Package = {
    messages: parseProto(readFileSync(path.join(source, 'generated.proto'), 'utf8'), name),
    structs: new Map(structs),
  };
  packages.set(name, read);
  return read;
}

function parseProto(text: string, packageName: string): ReadonlyMap<string, readonly ProtoField[]> {
  const found = new Map<string, readonly ProtoField[]>();
  const plain = text.replaceAll(/^\s*\/\/.*$/gm, '').replaceAll(/\/\*[\s\S]*?\*\//g, '');
  for (const [, message = '', body = ''] of plain.matchAll(/^message (\w+) \{$([\s\S]*?)^\}$/gm)) {
    const fields = body.split('\n').filter((line) => line.trim() !== '');
    found.set(
      message,
      fields.map((line) => parseProtoField(line, packageName)),
    );
  }
  return found;
}

function parseProtoField(line: string, packageName: string): ProtoField {
  const match = /^ {2}(optional |repeated |map<string, )([\w.]+)>? (\w+) = (\d+);$/.exec(line);
  if (!match) throw new Error(`a line of ${packageName} that the generator does not know: ${line}`);
  const [, form = '', type = '', name = '', number = ''] = match;
  const prefix = form === 'repeated ' ? '[]' : form.startsWith('map') ? '{}' : '';
  return { number: Number(number), name, type: prefix + typeName(type, packageName) };
}

function typeName(type: string, packageName: string): string {
  if (['string', 'bytes', 'bool', 'int32', 'int64', 'double'].includes(type)) return type;
  if (type.startsWith('.')) return `io.k8s.${type.slice('.k8s.io.'.length).replaceAll('_', '-')}`;
  if (!/^[A-Z]/.test(type)) throw new Error(`a type that the generator does not know: ${type}`);
  return `${packageName}.${type}`;
}

function parseStructs(text: string): ReadonlyMap<string, ReadonlyMap<number, GoField>> {
  const found = new Map<string, ReadonlyMap<number, GoField>>();
  for (const [, struct = '', body = ''] of text.matchAll(/^type (\w+) struct ?\{(?:\}|$([\s\S]*?)^\})$/gm)) {
    const fields = new Map<number, GoField>();
    for (const [, declared = '', tags = ''] of body.matchAll(/^\t(?!\/\/)([^`\n]+?)\s*`(.*)`/gm)) {
      const number = /protobuf:"\w+,(\d+)/.exec(tags)?.[1];
      if (!number) continue;
      const [jsonName = '', ...options] = (/json:"([^"]*)"/.exec(tags)?.[1] ?? '').split(',');
      const isPointer = declared.split(/\s+/).at(-1)?.startsWith('*') ?? false;
      fields.set(Number(number), {
        jsonName,
        isInline: options.includes('inline'),
        omitsZero: !isPointer && (options.includes('omitempty') || options.includes('omitzero')),
      });
    }
    found.set(struct, fields);
  }
  return found;
}

/** `k8s.io/apimachinery` → `io.k8s.apimachinery`. */
function definitionPrefix(module: string): string {
  return module.replace('k8s.io/', 'io.k8s.');
}

function splitName(name: string): readonly [packageName: string, messageName: string] {
  const dot = name.lastIndexOf('.');
  return [name.slice(0, dot), name.slice(dot + 1)];
}

/** One entry per line, in a stable order, so that a new Kubernetes version gives a readable diff. */
function render(): string {
  const kinds = builtin.kinds.map(({ group, version, kind, definition }): readonly [string, string] => [
    `${group === '' ? '' : `${group}/`}${version}/${kind}`,
    definition,
  ]);
  const lines = (entries: Iterable<readonly [string, unknown]>) =>
    [...entries]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`)
      .join(',\n');
  return `{"kinds":{\n${lines(kinds)}\n},"messages":{\n${lines(messages)}\n}}\n`;
}
