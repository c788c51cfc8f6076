import type { Difference } from './compare.ts';

/**
 * Where this engine differs and is meant to. Each line says why; what none of them covers is a mistake.
 */
const known: readonly ((difference: Difference) => boolean)[] = [
  // Theirs ends in a Go panic.
  ({ theirs }) => typeof theirs === 'string' && theirs.startsWith('panic: '),
  // A policy that their command takes and the cluster would refuse, or that fails in each run, is refused here at once.
  ({ theirs, ours }) => theirs === undefined && /policy-(scope|expression)/.test(String(ours)),
  // Their command cannot tell the scope of a kind without a cluster, has no later pod security versions in its schema,
  // and reads references in keys.
  ({ theirs, ours }) =>
    ours === undefined && /target namespace must be set|podSecurity.version|got nil resolved/.test(String(theirs)),
  // Conditions in CEL need a rule in CEL; nothing here runs CEL.
  ({ theirs, ours }) => ours === undefined && /celPrecondition/.test(String(theirs)),
  // `kyverno test` turns whole numbers into floats, so that wildcards see 5E+00; admission does not.
  ({ body }) => textOf(body).includes('"v":"?"'),
  // A negation of several keys names the one that Go's map yields first.
  ({ body }) => textOf(body).includes('X(ap*)'),
  // A request offline knows its name, kind and account here.
  ({ case: name }) => /request\.(kind|name)|serviceAccountName|\{\{ images \}\}/.test(name),
  // {{@}} in a pattern loses two levels of its path there.
  ({ case: name }) => /^pattern \{\{ ?@ ?\}\}$/.test(name),
  // Shallow and escaped variables in keys are resolved on, there.
  ({ case: name }) => /^key (\{\{-|\\\{\{)/.test(name),
  // Exceptions do not look at operations there; here one for updates excuses no creation.
  ({ case: name }) => name.startsWith('exception') && name.includes('"operations":["UPDATE"]'),
  // A rule with several targets gives one result here, and a target that is not there is a skip.
  ({ case: name }) => /^target .*"name":"(\*|none)"/.test(name),
  // Variables that stand in the object itself are resolved, there, when an entry takes the object.
  ({ case: name }) => /^context path \{\{ ?@ ?\}\}$/.test(name),
  // Quoted texts that go on at the margin: Go's YAML takes them.
  ({ case: name }) => /^json patch.*spec\.nl/.test(name),
  // Skips of generations and of targets give no reason there, and one exception is spelt otherwise.
  ({ theirs, ours, body }) =>
    statusOf(theirs) === 'skip' && statusOf(ours) === 'skip' && /"generate"|"targets"/.test(textOf(body)),
  // The time that passes between the two.
  ({ case: name }) => name.includes('time_now_utc'),
  // Labels that are no texts make theirs drop all labels.
  ({ body }) => textOf(body).includes('"labels":{"l":"{{ request.object.spec.n }}"}'),
  // A generation that cannot be carried out is an error here; in Kyverno it passes and generates nothing.
  ({ theirs, ours, body }) =>
    textOf(body).includes('"generate"') && statusOf(theirs) === 'pass' && statusOf(ours) === 'error',
  // A deletion is not mutated; their command tries, and fails.
  ({ case: name, body }) => name.startsWith('DELETE') && textOf(body).includes('"mutate"'),
];

export const isKnown = (difference: Difference) => known.some((covers) => covers(difference));

/** Values of chance and of the order of a Go map, what is no JSON, panics, a bare reference, and `hash`, which is ours. */
export const isKnownExpression = (query: string, theirError = '') =>
  /^(random|hash|keys|values)\(|^(o\.\*|&s)$|'Inf'/.test(query) ||
  /NaN/.test(theirError) ||
  theirError.startsWith('panic: ');

const textOf = (value: unknown) => JSON.stringify(value) ?? '';

function statusOf(answers: unknown): string {
  return Array.isArray(answers) ? answers.map(({ status }: { status: string }) => status).join() : '';
}
