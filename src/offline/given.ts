import { isJsonObject } from '../base/index.ts';
import type { PolicyProgram, RuleProgram } from '../policy/index.ts';

/** The available sources of context entries. Entries of other sources must be in the values. */
interface Loadable {
  readonly configMap: boolean;
  readonly apiCall: boolean;
  readonly globalReference: boolean;
  readonly imageRegistry: boolean;
}

const noNames: ReadonlySet<string> = new Set();

/** The names of a rule's context entries, including those of loops and targets, that are not looked up. */
export function givenNames(loadable: Loadable): (policy: PolicyProgram, rule: RuleProgram) => ReadonlySet<string> {
  const known = new WeakMap<RuleProgram, ReadonlySet<string>>();
  return (_, rule) => {
    let names = known.get(rule);
    if (!names) {
      const found = new Set(entriesOf(rule.spec, loadable));
      names = found.size === 0 ? noNames : found;
      known.set(rule, names);
    }
    return names;
  };
}

/** Context entries can only be under these fields of a rule; patterns may have a key `context` of their own. */
const holders = ['validate', 'mutate', 'generate', 'foreach', 'targets'];

function* entriesOf(value: unknown, loadable: Loadable): Generator<string> {
  if (Array.isArray(value)) {
    for (const item of value) yield* entriesOf(item, loadable);
    return;
  }
  if (!isJsonObject(value)) return;
  const { context } = value;
  for (const entry of Array.isArray(context) ? context : []) {
    if (!isJsonObject(entry) || typeof entry['name'] !== 'string') continue;
    const source = (Object.keys(loadable) as (keyof Loadable)[]).find((name) => isJsonObject(entry[name]));
    if (source && !loadable[source]) yield entry['name'];
  }
  for (const holder of holders) yield* entriesOf(value[holder], loadable);
}
