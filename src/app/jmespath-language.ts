import { type Clock, isJsonObject, SupercargoError } from '../base/index.ts';
import { compile, type Environment, JmespathError, jmespathFunctions } from '../jmespath/index.ts';
import type { ExpressionLanguage } from './expression-language.ts';

interface JmespathOptions {
  readonly clock: Clock;
  readonly random: () => number;
  /** The document is `request.object`, as rules see it; otherwise it is the root. */
  readonly isRequest: boolean;
}

/** JMESPath as Kyverno has it. */
export function jmespathLanguage({ clock, random, isRequest }: JmespathOptions): ExpressionLanguage {
  const environment: Environment = { clock, random };
  // A list in brackets of null is null: without a document, expressions see an empty one.
  const dataOf = (document: unknown) => (isRequest ? requestFor(document) : (document ?? {}));
  return {
    name: 'jp',
    compile(expression) {
      const program = located(() => compile(expression));
      return {
        evaluate(document) {
          try {
            return { value: program.evaluate(dataOf(document), environment) };
          } catch (thrown) {
            if (thrown instanceof JmespathError) return { error: withCaret(thrown) };
            throw thrown;
          }
        },
      };
    },
    functions: [...jmespathFunctions.values()]
      .map(({ name, parameters, optional = 0, variadic }) => {
        const types = parameters.map((one, i) => one.join('|') + (i >= parameters.length - optional ? '?' : ''));
        const all = [...types, ...(variadic === undefined ? [] : [`...${variadic.join('|')}`])];
        return { name, isMember: false, isGlobal: true, receivers: [], signatures: [`${name}(${all.join(', ')})`] };
      })
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
    variables(document) {
      const data = dataOf(document);
      return isJsonObject(data) ? Object.keys(data) : [];
    },
  };
}

/** The part of a rule's context that follows from an object alone. */
function requestFor(document: unknown): unknown {
  const { kind, metadata } = isJsonObject(document) ? document : {};
  const { name, namespace } = isJsonObject(metadata) ? metadata : {};
  return {
    request: {
      operation: 'CREATE',
      object: document,
      ...(kind === undefined ? {} : { kind: { kind } }),
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
    },
  };
}

function located<T>(action: () => T): T {
  try {
    return action();
  } catch (thrown) {
    if (thrown instanceof JmespathError) throw new SupercargoError(thrown.code, withCaret(thrown), { cause: thrown });
    throw thrown;
  }
}

const withCaret = (error: JmespathError) => `${error.message}\n${error.caret()}`;
