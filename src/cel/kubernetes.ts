import { kubernetesCost } from './cost.ts';
import type { Environment, FunctionDecl } from './environment.ts';
import { addressFunctions, cidrType, ipType } from './functions/address.ts';
import { authorizerFunctions, authorizerTypes } from './functions/authorizer.ts';
import { conversionFunctions } from './functions/conversions.ts';
import { merge } from './functions/declare.ts';
import { formatFunction } from './functions/format.ts';
import { kubernetesListFunctions, listFunctions, setFunctions } from './functions/lists.ts';
import { namedFormatFunctions, namedFormatType } from './functions/named-format.ts';
import { operatorFunctions } from './functions/operators.ts';
import { optionalFunctions } from './functions/optional.ts';
import { quantityFunctions, quantityType } from './functions/quantity.ts';
import { prepareRegex, regexFunctions } from './functions/regex.ts';
import { semverFunctions, semverType } from './functions/semver.ts';
import { standardTextFunctions, textFunctions } from './functions/text.ts';
import { timeFunctions } from './functions/time.ts';
import { urlFunctions, urlType } from './functions/url.ts';
import { macrosFor } from './macros.ts';
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  optionalType,
  stringType,
  timestampType,
  typeType,
  uintType,
} from './types.ts';

const standardTypes: readonly CelType[] = [
  boolType,
  bytesType,
  doubleType,
  durationType,
  intType,
  listType(dynType),
  mapType(dynType, dynType),
  nullType,
  stringType,
  timestampType,
  typeType(dynType),
  uintType,
  optionalType(dynType),
];

export const standardFunctions: readonly (readonly FunctionDecl[])[] = [
  operatorFunctions,
  conversionFunctions,
  standardTextFunctions,
  timeFunctions,
  optionalFunctions,
];

export const typesByName = (types: readonly CelType[]): ReadonlyMap<string, CelType> =>
  new Map([...standardTypes, ...types].map((type) => [type.name, type]));

/** As admission policies and rules of custom resources have it, with the features of all versions. */
export const kubernetesEnvironment: Environment = {
  functions: merge([
    ...standardFunctions,
    kubernetesListFunctions,
    regexFunctions,
    textFunctions,
    [formatFunction('english')],
    setFunctions,
    listFunctions,
    urlFunctions,
    addressFunctions,
    quantityFunctions,
    semverFunctions,
    namedFormatFunctions,
    authorizerFunctions,
  ]),
  types: typesByName([urlType, ipType, cidrType, quantityType, semverType, namedFormatType, ...authorizerTypes]),
  macros: macrosFor({ twoVariables: true, bind: false, math: false, lenientOrValue: false }),
  allowsMixedLiterals: true,
  container: '',
  validatesLiterals: true,
  costOf: kubernetesCost,
  prepare: prepareRegex,
};
