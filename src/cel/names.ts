import { walk } from './ast.ts';
import { kubernetesEnvironment } from './kubernetes.ts';
import { parse } from './parser.ts';
import { Source } from './source.ts';

/** The names that an expression uses for variables, those of its loops among them; throws CelCompileError. */
export function namesIn(expression: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const node of walk(parse(new Source(expression), kubernetesEnvironment.macros))) {
    if (node.kind === 'ident') names.add(node.name);
  }
  return names;
}
