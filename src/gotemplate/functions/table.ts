import { builtinFunctions } from './builtin.ts';
import { compareFunctions } from './compare.ts';
import { cryptoFunctions } from './crypto.ts';
import { dateFunctions } from './dates.ts';
import { dictFunctions } from './dicts.ts';
import { encodingFunctions } from './encoding.ts';
import { flowFunctions } from './flow.ts';
import { jsonFunctions } from './json.ts';
import { listFunctions } from './lists.ts';
import { mathFunctions } from './math.ts';
import { pathFunctions } from './paths.ts';
import { reflectionFunctions } from './reflection.ts';
import { regexFunctions } from './regex.ts';
import { semverFunctions } from './semver.ts';
import type { FunctionSpec, FunctionTable } from './signature.ts';
import { stringFunctions } from './strings.ts';
import { urlFunctions } from './url.ts';
import { yamlFunctions } from './yaml.ts';

const table = (specs: readonly FunctionSpec[]): FunctionTable => new Map(specs.map((spec) => [spec.name, spec]));

const builtins = [...builtinFunctions, ...compareFunctions];

/** What text/template itself has. */
export const goFunctions: FunctionTable = table(builtins);

/** Go's own functions, the common sprig set, and those of Helm and the seed that need nothing from outside. */
export const allFunctions: FunctionTable = table([
  ...builtins,
  ...stringFunctions,
  ...listFunctions,
  ...dictFunctions,
  ...mathFunctions,
  ...reflectionFunctions,
  ...flowFunctions,
  ...dateFunctions,
  ...regexFunctions,
  ...semverFunctions,
  ...encodingFunctions,
  ...cryptoFunctions,
  ...jsonFunctions,
  ...yamlFunctions,
  ...pathFunctions,
  ...urlFunctions,
]);

/** Names of all functions, sorted; documentation and completion are made from it. */
export const templateFunctions: readonly string[] = [...allFunctions.keys()].sort();
