import { parseYamlDocuments } from '../../base/index.ts';
import { invalid } from '../errors.ts';
import { define, type FunctionSpec } from './signature.ts';

export const yamlFunctions: readonly FunctionSpec[] = [
  define('parse_yaml', ['string'], (run, text: string) => {
    run.chargeText(text.length * 4);
    try {
      // Of several documents Kyverno reads the first.
      return parseYamlDocuments(text)[0]?.value ?? null;
    } catch (thrown) {
      throw invalid((thrown as Error).message, thrown);
    }
  }),
];
