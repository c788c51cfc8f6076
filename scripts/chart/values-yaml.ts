import { renderYaml } from '../../src/base/index.ts';
import { type ValueSchema, valuesSchema } from './schema.ts';

/** values.yaml: every value with its meaning and default. A value without default is in a comment. */
export function valuesYaml(): string {
  const head =
    '# Written by npm run generate:chart from src/app/chart/values.ts. values.schema.json refuses other keys.\n';
  return `${head}${[...propertyLines(valuesSchema(), 0)].join('\n')}\n`;
}

/** Not for a reader of this chart: one with this chart as a dependency sets them. */
const hidden = new Set(['global', 'enabled']);

function* propertyLines({ properties = {} }: ValueSchema, indent: number): Generator<string> {
  const pad = ' '.repeat(indent);
  for (const [key, child] of Object.entries(properties)) {
    if (indent === 0 && hidden.has(key)) continue;
    if (indent === 0) yield '';
    for (const line of (child.description ?? '').split('\n')) yield `${pad}# ${line}`;
    if (child.enum) yield `${pad}# One of ${child.enum.join(', ')}.`;
    if (child.default === undefined) yield `${pad}# ${key}:`;
    else if (child.properties && key !== 'config') {
      yield `${pad}${key}:`;
      yield* propertyLines(child, indent + 2);
    } else
      yield renderYaml({ [key]: child.default })
        .trimEnd()
        .split('\n')
        .map((line) => `${pad}${line}`)
        .join('\n');
  }
}
