import { isJsonObject } from '../../base/index.ts';
import type { Schema } from '../../schema/index.ts';
import { renderBool } from '../bool.ts';
import type { ExpressionScope } from '../expression.ts';
import { refuse } from '../not-convertible.ts';
import { fieldPlace, type Place, valueOr } from '../place.ts';
import { isPresent } from '../scalar.ts';
import { isStructured, mapOf, type Written, writeValue } from '../values.ts';
import type { Edit, WrittenMutation } from './edit.ts';

/** A change as an apply configuration; throws NotConvertible for what only a JSON patch can do. */
export function writeConfiguration(
  edit: Edit,
  root: Place,
  scope: ExpressionScope,
  path: string,
): readonly WrittenMutation[] {
  const writer = new ConfigurationWriter(scope, path);
  const { text } = writer.write(edit, { place: root, typeName: 'Object' });
  return [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: text } }];
}

interface Position {
  readonly place: Place;
  readonly typeName: string | undefined;
}

class ConfigurationWriter {
  constructor(
    private readonly scope: ExpressionScope,
    private readonly path: string,
  ) {}

  write(edit: Edit, at: Position): Written {
    switch (edit.kind) {
      case 'set':
        if (!edit.ifAbsent && isMerged(edit.value, at.place.schema)) return refuse(this.path, replaced);
        return this.writeSet(edit.value, at, edit.path);
      case 'map':
        return this.writeMap(edit, at);
      case 'elements': {
        const items = edit.elements.map(({ edit: inner }) => this.write(inner, below(at)));
        return { text: `[${items.map(({ text }) => text).join(', ')}]`, type: 'list' };
      }
      case 'each':
        return {
          text: this.writeEach(edit, at, edit.isRequired ? at.place.strict : valueOr(at.place, '[]')),
          type: 'list',
        };
      default:
        return refuse(this.path, 'only a JSON patch can do this');
    }
  }

  private writeSet(value: unknown, { place, typeName }: Position, path: string): Written {
    return writeValue(value, { scope: this.scope, path, typeName, schema: place.schema });
  }

  private writeMap({ fields }: Extract<Edit, { kind: 'map' }>, { place, typeName }: Position): Written {
    if (place.schema?.['x-kubernetes-map-type'] === 'atomic') return refuse(this.path, replaced);
    const isStruct = isStructured({ typeName, schema: place.schema }, [...fields.keys()]);
    const entries = [...fields].map(([key, edit]) => {
      const child = fieldPlace(place, key);
      const at = { place: child, typeName: isStruct ? `${typeName}.${key}` : undefined };
      const entry = (written: Written, isOptional = false) => ({ key, written, isOptional });
      if (edit.kind === 'each' && child.isOptional && !edit.isRequired) {
        const list = `${child.chain}.optMap(list, ${this.writeEach(edit, at, 'list')})`;
        return entry({ text: list, type: 'dyn' }, true);
      }
      const written = this.write(edit, at);
      if (edit.kind !== 'set' || !edit.ifAbsent) return entry(written);
      if (typeof edit.value !== 'object')
        return entry({ text: `${child.chain}.orValue(${written.text})`, type: 'dyn' });
      const isThere = renderBool(isPresent(child));
      return entry({ text: `${isThere} ? optional.none() : optional.of(${written.text})`, type: written.type }, true);
    });
    return mapOf(entries, isStruct ? typeName : undefined);
  }

  private writeEach({ element, condition, edit, key }: Extract<Edit, { kind: 'each' }>, at: Position, list: string) {
    if (edit.kind !== 'map') return refuse(this.path, 'only a JSON patch can do this');
    const named = new Map([
      [key, { kind: 'set', value: undefined, ifAbsent: false, path: '' } as Edit],
      ...edit.fields,
    ]);
    const isStruct = isStructured({ typeName: at.typeName, schema: element.schema }, [...named.keys()]);
    const inner = this.writeMap(edit, { place: element, typeName: isStruct ? at.typeName : undefined });
    const name = `${element.variable}.${key}`;
    const [opening = '', rest = ''] = split(inner.text);
    const fields = isStruct ? `${key}: ${name}` : `'${key}': ${name}`;
    const made = edit.fields.has(key) ? inner.text : `${opening}${fields}${rest === '}' ? '' : ', '}${rest}`;
    const from = condition.kind === 'constant' ? list : `${list}.filter(${element.variable}, ${renderBool(condition)})`;
    return `${from}.map(${element.variable}, ${made})`;
  }
}

const replaced = 'only a JSON patch can replace this, or keep what is beside it';

/** Whether a configuration merges such a value into what is there, instead of replacing it. */
function isMerged(value: unknown, schema: Schema | undefined): boolean {
  if (Array.isArray(value)) return ['map', 'set'].includes(schema?.['x-kubernetes-list-type'] ?? '');
  return isJsonObject(value) && schema?.['x-kubernetes-map-type'] !== 'atomic';
}

/** Before and after the first brace. */
function split(text: string): readonly [string, string] {
  const at = text.indexOf('{') + 1;
  return [text.slice(0, at), text.slice(at)];
}

const below = ({ place, typeName }: Position): Position => ({
  place: { ...place, schema: place.schema?.items, isOptional: true },
  typeName,
});
