import {
  type Check,
  type FieldError,
  forbidden,
  plural,
  quoted,
  settersOf,
  sortedSet,
  type Violation,
} from './check.ts';
import { containersOf, optional, type Pod, text } from './pod.ts';

const typesAt0 = ['', 'container_t', 'container_init_t', 'container_kvm_t'];
const typesAt31 = [...typesAt0, 'container_engine_t'];

interface Place {
  readonly path: string;
  readonly securityContext: Readonly<Record<string, unknown>> | undefined;
}

function errorsAt({ path, securityContext }: Place, allowed: ReadonlySet<string>): readonly FieldError[] {
  const options = securityContext && optional(securityContext, 'seLinuxOptions');
  if (!options) return [];
  const at = (field: string) => `${path}.securityContext.seLinuxOptions.${field}`;
  const type = text(options, 'type');
  const set = ['user', 'role'].filter((field) => text(options, field) !== '');
  return [
    ...(allowed.has(type) ? [] : [forbidden(at('type'), type)]),
    ...set.map((field) => forbidden(at(field), text(options, field))),
  ];
}

function checkOptions(allowed: ReadonlySet<string>, pod: Pod): Violation | undefined {
  const podErrors = errorsAt({ path: 'spec', securityContext: optional(pod.spec, 'securityContext') }, allowed);
  const bad = containersOf(pod).flatMap((container) => {
    const errors = errorsAt(container, allowed);
    return errors.length > 0 ? [{ container, errors }] : [];
  });
  const errors = [...podErrors, ...bad.flatMap((one) => one.errors)];
  if (errors.length === 0) return undefined;
  const types = sortedSet(errors.flatMap((error) => (error.field.endsWith('.type') ? [String(error.badValue)] : [])));
  const faults = [
    ...(types.length > 0 ? [`${plural(types.length, 'type', 'types')} ${quoted(types)}`] : []),
    ...['user', 'role']
      .filter((field) => errors.some((error) => error.field.endsWith(`.${field}`)))
      .map((field) => `${field} may not be set`),
  ];
  const setters = settersOf(
    podErrors.length > 0,
    bad.map((one) => one.container),
  );
  const detail = `${setters} set forbidden securityContext.seLinuxOptions: ${faults.join('; ')}`;
  return { reason: 'seLinuxOptions', detail, errors };
}

export const seLinuxOptions: Check = {
  id: 'seLinuxOptions',
  level: 'baseline',
  versions: [
    { minor: 0, types: typesAt0 },
    { minor: 31, types: typesAt31 },
  ].map(({ minor, types }) => {
    const allowed = new Set(types);
    return { minor, check: (pod: Pod) => checkOptions(allowed, pod) };
  }),
};
