import { arithmeticFunctions } from './arithmetic.ts';
import { collectionFunctions } from './collections.ts';
import { communityOnly } from './community.ts';
import { encodingFunctions } from './encoding.ts';
import { imageFunctions } from './image.ts';
import { randomFunctions } from './random.ts';
import { regexFunctions } from './regex.ts';
import { semverFunctions } from './semver.ts';
import type { FunctionSpec } from './signature.ts';
import { standardFunctions } from './standard.ts';
import { textFunctions } from './text.ts';
import { timeFunctions } from './time.ts';
import { urlFunctions } from './url.ts';
import { x509Functions } from './x509.ts';
import { yamlFunctions } from './yaml.ts';

/** Every function of Kyverno's dialect by name. */
export const functions: ReadonlyMap<string, FunctionSpec> = new Map(
  [
    standardFunctions,
    collectionFunctions,
    textFunctions,
    regexFunctions,
    arithmeticFunctions,
    encodingFunctions,
    yamlFunctions,
    semverFunctions,
    timeFunctions,
    imageFunctions,
    urlFunctions,
    randomFunctions,
    x509Functions,
  ].flatMap((group) => group.map((spec) => [spec.name, spec] as const)),
);

/** Where both have a function of one name (`items`, `replace`, `split`, `trim`, `sum`), Kyverno's is the one. */
export const communityFunctions: ReadonlyMap<string, FunctionSpec> = new Map([
  ...functions,
  ...communityOnly.map((spec) => [spec.name, spec] as const),
]);
