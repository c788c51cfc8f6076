import { PolicyError } from '../errors.ts';
import { type Elements, setElement } from './elements.ts';
import { fieldOf, isMissing, type ListTree, type MapTree, removeField, type Tree, textOf } from './tree.ts';

type Directive = 'merge' | 'replace' | 'delete';

const key = '$patch';

/** Reads and removes the `$patch` directive of a map or list; `merge` if there is none. */
export function takeDirective(patch: Tree | undefined): Directive {
  if (patch === undefined) return 'merge';
  if (patch.kind === 'map') return takeFromMap(patch);
  if (patch.kind === 'list') return takeFromList(patch);
  throw new PolicyError('policy-mutate-directive', `no strategic merge patch strategy for '${textOf(patch)}'`);
}

function takeFromMap(map: MapTree): Directive {
  const value = fieldOf(map, key);
  if (value === undefined) return 'merge';
  const directive = parseDirective(textOf(value));
  removeField(map, key);
  return directive;
}

/** In a list the directive is an element of its own, `- $patch: replace`. */
function takeFromList(list: ListTree & Elements): Directive {
  const element = list.items.find((item) => !isMissing(item) && fieldOf(item, key) !== undefined);
  if (element?.kind !== 'map' || element.fields.length > 1) return 'merge';
  const text = textOf(fieldOf(element, key)!);
  const directive = parseDirective(text);
  setElement(list, [key], [text], undefined);
  return directive;
}

function parseDirective(text: string): Directive {
  if (text === 'delete' || text === 'replace' || text === 'merge') return text;
  throw new PolicyError('policy-mutate-directive', `unknown patch strategy '${text}'`);
}
