import type { FieldError } from '../field-error.ts';
import { type Fields, isObject, withoutField } from '../value.ts';

/** What a server answered, without what differs from run to run. */
export type Outcome =
  | { readonly accepted: Fields }
  | { readonly code: number; readonly message?: string; readonly causes: readonly string[] };

const generated: Readonly<Record<string, readonly string[]>> = {
  // Finalizers of claims and the generation of a daemon set's template come from plugins and strategies too.
  metadata: [
    'annotations',
    'uid',
    'creationTimestamp',
    'finalizers',
    'managedFields',
    'resourceVersion',
    'generation',
    'namespace',
  ],
  // Addresses are allocated; priority and tolerations come from admission plugins.
  spec: [
    'clusterIP',
    'clusterIPs',
    'ipFamilies',
    'ipFamilyPolicy',
    'healthCheckNodePort',
    'finalizers',
    'priority',
    'preemptionPolicy',
    'taints',
    'tolerations',
  ],
};

export function acceptedOutcome(object: Fields): Outcome {
  let stable: Fields = withoutField(object, 'status');
  for (const part in generated) {
    let fields = stable[part];
    if (!isObject(fields)) continue;
    for (const key of generated[part]!) fields = withoutField(fields as Fields, key);
    stable = { ...stable, [part]: fields };
  }
  return { accepted: stable };
}

/** Causes are sorted: Go walks maps in no particular order. The message repeats them when there are several. */
export function refusedOutcome(code: number, message: string, errors: readonly FieldError[]): Outcome {
  const causes = [...new Set(errors.map(({ reason, field, message: text }) => `${reason} ${field}: ${text}`))].sort();
  return causes.length > 1 ? { code, causes } : { code, message, causes };
}
