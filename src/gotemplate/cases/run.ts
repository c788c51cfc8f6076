import { TemplateError } from '../errors.ts';
import { compile } from '../program.ts';
import { type Answer, fixture, type TemplateCase } from './case.ts';

/** What we answer to a case, in the form of Go's answer. */
export function answer({
  template,
  data = fixture,
  missingKey = 'error',
  functions = 'all',
  numbers = 'int',
}: TemplateCase): Answer {
  try {
    return { output: compile(template, { name: 'case', missingKey, functions }).render(data, { numbers }) };
  } catch (thrown) {
    if (thrown instanceof TemplateError) return { output: '', error: thrown.message };
    throw thrown;
  }
}
