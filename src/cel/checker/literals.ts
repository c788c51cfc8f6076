import { type CallNode, type Node, walk } from '../ast.ts';
import { compileRegex } from '../functions/text.ts';
import type { Source } from '../source.ts';
import { parseCelDuration, parseTimestamp } from '../values/time.ts';
import { CelError } from '../values/values.ts';
import type { Checked } from './checker.ts';

const parsers: Readonly<Record<string, (text: string) => unknown>> = {
  duration: parseCelDuration,
  timestamp: parseTimestamp,
};

/** What Kubernetes checks beyond types: literal durations, timestamps and regular expressions. */
export function validateLiterals({ root, calls }: Checked, source: Source): void {
  for (const node of walk(root)) {
    if (node.kind !== 'call' || !calls.has(node.id)) continue;
    const { name, args } = node;
    const [first] = args;
    const parse = Object.hasOwn(parsers, name) ? parsers[name] : undefined;
    if (parse && args.length === 1) validate(source, name, first, parse);
    if (name === 'matches') validate(source, name, patternOf(node), compileRegex);
  }
}

const patternOf = ({ target, args }: CallNode): Node | undefined => (target ? args[0] : args[1]);

function validate(source: Source, name: string, node: Node | undefined, parse: (text: string) => unknown): void {
  if (node?.kind !== 'literal' || typeof node.value !== 'string') return;
  if (parse(node.value) instanceof CelError) source.report(node.offset, `invalid ${name} argument`);
}
