import { CallFailure, TemplateError } from '../errors.ts';
import { display } from '../format/print.ts';
import { quote } from '../format/quote.ts';
import type { Run } from '../run.ts';
import type { Value } from '../values.ts';
import { define, defineRunning, type FunctionSpec } from './signature.ts';

export const flowFunctions: readonly FunctionSpec[] = [
  ...define({
    'fail(string)': (message: string) => {
      throw new CallFailure(message);
    },
  }),
  ...defineRunning({
    'required(any, any)': required,
    'include(string, any)': (run, name: string, data: Value) => {
      const template = run.templates.get(name);
      if (!template) {
        const within = quote(run.template.name);
        throw new CallFailure(`template: no template ${quote(name)} associated with template ${within}`);
      }
      return nested(run, () => run.call(template, data ?? undefined));
    },
    'tpl(string, any)': renderText,
  }),
];

/** Helm's order, message first; the other one where the first cannot be a message. */
function required(run: Run, first: Value, second: Value): Value {
  const isSeedOrder = typeof first !== 'string' && typeof second === 'string';
  const [message, value] = isSeedOrder ? [second, first] : [first, second];
  if (value === null || value === undefined || value === '') {
    throw new CallFailure(typeof message === 'string' ? message : display(message, run));
  }
  return value;
}

/** Renders a text as a template; it sees the templates around it, and what it defines is forgotten afterwards. */
function renderText(run: Run, text: string, data: Value): string {
  const { templates } = run;
  const name = 'tpl';
  run.step(1 + text.length);
  const rendered = nested(run, () => {
    run.templates = run.env.compileText(text, name, templates);
    run.call(run.templates.get(name)!, data ?? undefined);
  });
  run.templates = templates;
  return rendered;
}

/** What a template inside writes; its error becomes the error of this call, as in Go. */
function nested(run: Run, work: () => void): string {
  const { template, frame } = run;
  try {
    return run.capture(work);
  } catch (thrown) {
    if (!(thrown instanceof TemplateError) || thrown.code.endsWith('-limit')) throw thrown;
    run.template = template;
    run.frame = frame;
    throw new CallFailure(thrown.message, thrown.code);
  }
}
