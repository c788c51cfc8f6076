import type { Environment } from './environment.ts';
import { authorizationFunctions, envoyLibraryType, jwtLibraryType } from './functions/authorization.ts';
import { clockFunctions, clockType } from './functions/clock.ts';
import {
  dataFunctions,
  jsonLibraryType,
  randomLibraryType,
  userFunctions,
  x509LibraryType,
  yamlLibraryType,
} from './functions/data.ts';
import { merge } from './functions/declare.ts';
import { encoderFunctions } from './functions/encoders.ts';
import { imageFunctions } from './functions/image.ts';
import {
  generatorFunctions,
  generatorLibraryType,
  globalContextFunctions,
  globalContextLibraryType,
  httpFunctions,
  httpLibraryType,
  imageDataFunctions,
  imageDataLibraryType,
  resourceFunctions,
  resourceLibraryType,
} from './functions/look-ups.ts';
import { mathFunctions } from './functions/math.ts';
import { regexExtensionFunctions } from './functions/regex.ts';
import { kyvernoEnvironment } from './kyverno.ts';
import { macrosFor } from './macros.ts';
import { withMutations } from './mutation.ts';
import type { CelType } from './types.ts';

/** What the policies of a kind do; each has a language of its own. `authorize` answers requests of proxies. */
type PolicyPurpose = 'validate' | 'authorize' | 'mutate' | 'generate' | 'delete';

/** The language of one kind of policies. */
export interface PolicyLanguage {
  readonly environment: Environment;
  /** The libraries that are variables, in the order of their inputs. */
  readonly libraries: ReadonlyMap<string, CelType>;
  /** As the API server has it: `params`, and no `exceptions`. */
  readonly hasParams?: boolean;
}

const commonLibraries: readonly (readonly [string, CelType])[] = [
  ['time', clockType],
  ['resource', resourceLibraryType],
  ['http', httpLibraryType],
  ['globalContext', globalContextLibraryType],
  ['image', imageDataLibraryType],
  ['json', jsonLibraryType],
  ['yaml', yamlLibraryType],
  ['random', randomLibraryType],
  ['x509', x509LibraryType],
];

const generatorLibrary = ['generator', generatorLibraryType] as const;

const authorizationLibraries = [
  ['envoy', envoyLibraryType],
  ['jwt', jwtLibraryType],
] as const;

/** All libraries that are variables in some language. */
export const libraryTypes: ReadonlyMap<string, CelType> = new Map([
  ...commonLibraries,
  generatorLibrary,
  ...authorizationLibraries,
]);

/** The macros of all languages together, to read expressions with. */
export const policyMacros = macrosFor({
  twoVariables: true,
  bind: true,
  math: true,
  lenientOrValue: true,
  random: true,
});

const languages = new Map<string, PolicyLanguage>();

/**
 * Validating and mutating policies have Kubernetes' language and Kyverno's together; generating and deleting ones have
 * Kyverno's alone, without loops of two variables.
 */
export function policyLanguage(purpose: PolicyPurpose, isNamespaced: boolean): PolicyLanguage {
  const key = `${purpose}/${isNamespaced}`;
  let language = languages.get(key);
  if (!language) {
    language = makeLanguage(purpose, isNamespaced);
    languages.set(key, language);
  }
  return language;
}

function makeLanguage(purpose: PolicyPurpose, isNamespaced: boolean): PolicyLanguage {
  const isReview = purpose === 'validate' || purpose === 'authorize' || purpose === 'mutate';
  const environment: Environment = {
    ...kyvernoEnvironment,
    functions: merge([
      [...kyvernoEnvironment.functions.values()],
      encoderFunctions,
      mathFunctions,
      regexExtensionFunctions,
      clockFunctions,
      dataFunctions,
      imageFunctions,
      resourceFunctions(isNamespaced),
      httpFunctions,
      globalContextFunctions,
      imageDataFunctions,
      ...(isReview ? [userFunctions] : []),
      ...(purpose === 'generate' ? [generatorFunctions(isNamespaced)] : []),
      ...(purpose === 'authorize' ? [authorizationFunctions] : []),
    ]),
    macros: isReview
      ? policyMacros
      : macrosFor({ twoVariables: false, bind: true, math: true, lenientOrValue: true, random: true }),
    // Objects that are generated are written with elements of different types.
    validatesLiterals: purpose !== 'generate',
  };
  return {
    environment: purpose === 'mutate' ? withMutations(environment) : environment,
    libraries: new Map([
      ...commonLibraries,
      ...(purpose === 'generate' ? [generatorLibrary] : []),
      ...(purpose === 'authorize' ? authorizationLibraries : []),
    ]),
  };
}
