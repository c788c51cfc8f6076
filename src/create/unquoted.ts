import { isJsonObject, locateYaml, type YamlDocument, type YamlPlace } from '../base/index.ts';
import type { TemplateData } from './template-data.ts';

/**
 * Tags and prefixes that are unquoted in the rendered text and not parsed as strings: YAML reads 1.10 as the number
 * 1.1. For kinds with a known schema this is an error; these are warnings for other kinds. Each begins with `:line: `.
 */
export function findUnquoted(
  content: string,
  documents: readonly YamlDocument[],
  { ImageTag, TagPrefix }: Pick<TemplateData, 'ImageTag' | 'TagPrefix'>,
): readonly string[] {
  const suspects = new Set([ImageTag, TagPrefix].filter((text) => text !== ''));
  const found: string[] = [];
  const places = new Map(locateYaml(content).map((place) => [place.line, place]));
  const walk = (value: unknown, place: YamlPlace | undefined, path: string): void => {
    if (place === undefined || typeof value === 'string') return;
    if (Array.isArray(value))
      for (const [i, item] of value.entries()) walk(item, place.children?.get(String(i)), `${path}[${i}]`);
    else if (isJsonObject(value))
      for (const [key, field] of Object.entries(value))
        walk(field, place.children?.get(key), path === '' ? key : `${path}.${key}`);
    else if (place.plain !== undefined && suspects.has(place.plain))
      found.push(
        `:${place.line}: ${path}: ${place.plain} is read as ${kindOf(value)}: put quotes around it in the template, or use | quote`,
      );
  };
  for (const { value, line } of documents) walk(value, places.get(line), '');
  return found;
}

const kindOf = (value: unknown) => (value === null ? 'null' : `the ${typeof value} ${value}`);
