import { CelError, compile, dynType, functionHelp, kubernetesEnvironment, renderType, toJson } from '../cel/index.ts';
import type { ExpressionLanguage } from './expression-language.ts';

const variables = new Map([
  ['object', dynType],
  ['oldObject', dynType],
]);

/** CEL as the API server has it: the document is `object`. */
export const celLanguage: ExpressionLanguage = {
  name: 'cel',
  compile(expression) {
    const program = compile(expression, { variables });
    return {
      type: renderType(program.type),
      evaluate(document) {
        const { value, cost } = program.evaluate([document, null]);
        return value instanceof CelError ? { error: value.message, cost } : { value: toJson(value), cost };
      },
    };
  },
  functions: functionHelp(kubernetesEnvironment),
  variables: () => [...variables.keys()],
};
