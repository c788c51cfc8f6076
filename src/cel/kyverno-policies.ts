import type { Environment } from './environment.ts';
import { clockFunctions, clockType } from './functions/clock.ts';
import { merge } from './functions/declare.ts';
import { encoderFunctions } from './functions/encoders.ts';
import { mathFunctions } from './functions/math.ts';
import { kyvernoEnvironment } from './kyverno.ts';
import { macrosFor } from './macros.ts';
import type { CelType } from './types.ts';

/** The libraries that are variables, in the order of their inputs. */
export const libraryTypes: ReadonlyMap<string, CelType> = new Map([['time', clockType]]);

/** As ValidatingPolicies and MutatingPolicies have it: Kubernetes' libraries and Kyverno's together. */
export const policyEnvironment: Environment = {
  ...kyvernoEnvironment,
  functions: merge([[...kyvernoEnvironment.functions.values()], encoderFunctions, mathFunctions, clockFunctions]),
  macros: macrosFor({ twoVariables: true, bind: true, math: true, lenientOrValue: true }),
};
