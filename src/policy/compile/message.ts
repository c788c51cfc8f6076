import { Need } from '../context/index.ts';
import { joinNonEmpty } from '../run/outcome.ts';
import { type Run, resolverOf } from '../run/run.ts';
import { compileDocument } from '../variables/index.ts';

/** The messages of a failed rule: the text of its author with variables resolved, and the path of the failure. */
export interface RuleMessage {
  forPath(run: Run, path: string, why: string): string;
  forError(run: Run, why: string): string;
  forAlternatives(run: Run, failures: string): string;
  forDeny(run: Run, conditionMessage: string): string;
}

const noText = "the produced message didn't resolve to a string, check your policy definition.";

export function compileMessage(rule: string, written: string | undefined): RuleMessage {
  const template = written ? compileDocument(written) : undefined;
  const own = (run: Run): string | undefined => {
    if (!template) return undefined;
    try {
      const value = template.resolve(resolverOf(run));
      return typeof value === 'string' ? value : noText;
    } catch (thrown) {
      if (thrown instanceof Need) throw thrown;
      return undefined;
    }
  };
  const unresolved = (why: string) =>
    `validation error: variables substitution error in rule ${rule} execution error: ${why}`;
  const sentence = (text: string) => (text.endsWith('.') ? text : `${text}.`);
  return {
    forPath(run, path, why) {
      if (!template) return `validation error: rule ${rule} failed at path ${path}`;
      const text = own(run);
      return text === undefined
        ? unresolved(why)
        : `validation error: ${sentence(text)} rule ${rule} failed at path ${path}`;
    },
    forError(run, why) {
      if (!template) return `validation error: rule ${rule} execution error: ${why}`;
      const text = own(run);
      return text === undefined
        ? unresolved(why)
        : `validation error: ${sentence(text)} rule ${rule} execution error: ${why}`;
    },
    forAlternatives(run, failures) {
      if (!template) return `validation error: ${failures}`;
      const text = own(run);
      return text === undefined ? unresolved(failures) : `validation error: ${sentence(text)} ${failures}`;
    },
    forDeny(run, conditionMessage) {
      if (!template && conditionMessage === '') return `validation error: rule ${rule} failed`;
      if (conditionMessage === '') return own(run) ?? '';
      const joined = compileDocument(joinNonEmpty([written ?? '', conditionMessage], '; '));
      try {
        return String(joined.resolve(resolverOf(run)));
      } catch (thrown) {
        if (thrown instanceof Need) throw thrown;
        return conditionMessage;
      }
    },
  };
}
