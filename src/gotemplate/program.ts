import { systemClock } from '../base/index.ts';
import { compileDefinition } from './compile.ts';
import { TemplateError } from './errors.ts';
import { quote } from './format/quote.ts';
import { deepCopy, mutatingFunctions } from './functions/dicts.ts';
import { asGoJson, asObject } from './functions/json.ts';
import type { FunctionTable } from './functions/signature.ts';
import { allFunctions, goFunctions } from './functions/table.ts';
import { defaultLimits, type Limits } from './limits.ts';
import { type Environment, Run, type TemplateSet } from './run.ts';
import type { Definition, Node } from './syntax/ast.ts';
import { parse } from './syntax/parser.ts';
import { toWellFormed } from './utf8.ts';
import type { Value } from './values.ts';

export interface CompileOptions {
  /** Named in errors. */
  readonly name?: string;
  /** What a key that is not in the data does: fail (default), print `<no value>`, or be the zero value of its type. */
  readonly missingKey?: 'error' | 'default' | 'zero';
  /** `go`: text/template alone; `all` (default): the sprig set and the rest too. */
  readonly functions?: 'go' | 'all';
  readonly leftDelimiter?: string;
  readonly rightDelimiter?: string;
}

export type NumberTypes = 'int' | 'int64' | 'float64';

export interface RenderOptions {
  /**
   * What numbers of the data are. `int` (default): whole ones are ints. `int64`: they are int64, as in Kubernetes'
   * objects. `float64`: all are floats, as Go's JSON decoder leaves them.
   */
  readonly numbers?: NumberTypes;
  readonly limits?: Partial<Limits>;
  /** For `now` and the functions on dates: milliseconds since the epoch. */
  readonly now?: () => number;
  /** For the time limit; milliseconds that never run backwards. */
  readonly monotonicMs?: () => number;
  /** What `Local` is: an IANA name; UTC by default. */
  readonly timeZone?: string;
  /** The template to run, of those the text defines; by default the text itself. */
  readonly template?: string;
}

/** A compiled template: immutable, without state, to be rendered any number of times. */
interface Program {
  readonly name: string;
  /** The templates that the text defines, itself included, in order of their definition. */
  readonly templates: readonly string[];
  /** The text for the data; throws TemplateError and nothing else. The data are never changed. */
  render(data: unknown, options?: RenderOptions): string;
}

/** Parses and compiles a template; throws TemplateError with Go's message for anything that is wrong with it. */
export function compile(text: string, options: CompileOptions = {}): Program {
  const name = options.name ?? 'template';
  const functions = options.functions === 'go' ? goFunctions : allFunctions;
  const { templates, roots, mutates } = compileText(text, { ...options, name }, functions);
  const compileNested: Environment['compileText'] = (nested, nestedName, around) =>
    new Map([...around, ...compileText(nested, { ...options, name: nestedName }, functions).templates]);
  return {
    name,
    templates: [...templates.keys()],
    render: (data, renderOptions = {}) => {
      const wanted = renderOptions.template ?? name;
      const template = templates.get(wanted);
      if (!template) {
        const message = `template: no template ${quote(wanted)} associated with template ${quote(name)}`;
        throw new TemplateError('template-execution', message);
      }
      const env = environment(options, renderOptions, compileNested);
      const run = new Run(template, templates, env, roots.get(wanted)!);
      try {
        const dot = prepare(run, data, { mutates, numbers: renderOptions.numbers ?? 'int' });
        run.call(template, dot);
        return toWellFormed(run.out);
      } catch (thrown) {
        throw run.explain(thrown);
      }
    },
  };
}

interface CompiledText {
  readonly templates: TemplateSet;
  readonly roots: ReadonlyMap<string, Node>;
  readonly mutates: boolean;
}

function compileText(
  text: string,
  options: CompileOptions & { readonly name: string },
  functions: FunctionTable,
): CompiledText {
  let mutates = false;
  const hasFunction = (name: string) => {
    mutates ||= mutatingFunctions.has(name);
    return functions.has(name);
  };
  const { name, leftDelimiter, rightDelimiter } = options;
  const definitions = parse(text, { name, hasFunction, leftDelimiter, rightDelimiter });
  const source = { name, text };
  const compiled = [...definitions.values()].map((definition: Definition) =>
    compileDefinition(definition, source, functions),
  );
  return {
    templates: new Map(compiled.map((template) => [template.name, template])),
    roots: new Map([...definitions.values()].map(({ name: defined, root }) => [defined, root])),
    mutates,
  };
}

function environment(
  { missingKey = 'error' }: CompileOptions,
  options: RenderOptions,
  compileNested: Environment['compileText'],
): Environment {
  return {
    missingKey,
    limits: { ...defaultLimits, ...options.limits },
    now: options.now ?? systemClock.now,
    monotonicMs: options.monotonicMs ?? systemClock.monotonicMs,
    timeZone: options.timeZone ?? 'UTC',
    compileText: compileNested,
  };
}

/** The data as the template sees them: a copy where it could change them, floats where all numbers are. */
function prepare(
  run: Run,
  data: unknown,
  { mutates, numbers }: { readonly mutates: boolean; readonly numbers: NumberTypes },
): Value {
  if (data === null || data === undefined) return undefined;
  if (numbers !== 'int') return numbers === 'float64' ? asGoJson(data) : asObject(data);
  return mutates ? deepCopy(run, data) : data;
}
