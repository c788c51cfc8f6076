import type { Environment } from './environment.ts';
import { declare, form, merge } from './functions/declare.ts';
import { kubernetesEnvironment } from './kubernetes.ts';
import { lenientOrValue, macrosFor } from './macros.ts';
import { dynType } from './types.ts';
import { CelOptional, none } from './values/values.ts';

function orValue(value: unknown, other: unknown): unknown {
  if (!(value instanceof CelOptional)) return value;
  return value === none ? other : value.value;
}

const compatible = declare(lenientOrValue, form('__orValueCompat___dyn_dyn', [dynType, dynType], dynType, orValue));

/** As Kyverno's classic rules have it: Kubernetes', but `orValue` is dyn and takes what is no optional too. */
export const kyvernoEnvironment: Environment = {
  ...kubernetesEnvironment,
  functions: merge([[...kubernetesEnvironment.functions.values()], [compatible]]),
  macros: macrosFor({ twoVariables: true, bind: false, math: false, lenientOrValue: true }),
};
