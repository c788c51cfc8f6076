import {
  type Check,
  type FieldError,
  forbidden,
  namesOf,
  plural,
  quoted,
  required,
  settersOf,
  sortedSet,
  type Violation,
} from './check.ts';
import { type Container, containersOf, optional, type Pod, text } from './pod.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The type of a profile (`appArmorProfile`, `seccompProfile`), nothing where none is set. */
function typeOf(securityContext: Fields | undefined, profile: string): string | undefined {
  const set = securityContext && optional(securityContext, profile);
  return set && text(set, 'type');
}

const isAllowedType = (type: string): boolean => type === 'RuntimeDefault' || type === 'Localhost';

interface BadTypes {
  readonly byPod: string | undefined;
  readonly byContainers: readonly { readonly container: Container; readonly type: string }[];
  readonly errors: readonly FieldError[];
}

/** The pod and the containers that set a profile to a type that is not allowed. */
function badTypesOf(pod: Pod, profile: string): BadTypes {
  const podType = typeOf(optional(pod.spec, 'securityContext'), profile);
  const byPod = podType === undefined || isAllowedType(podType) ? undefined : podType;
  const byContainers = containersOf(pod).flatMap((container) => {
    const type = typeOf(container.securityContext, profile);
    return type === undefined || isAllowedType(type) ? [] : [{ container, type }];
  });
  const errors = [
    ...(byPod === undefined ? [] : [forbidden(`spec.securityContext.${profile}.type`, byPod)]),
    ...byContainers.map(({ container, type }) => forbidden(`${container.path}.securityContext.${profile}.type`, type)),
  ];
  return { byPod, byContainers, errors };
}

const valuesOf = ({ byPod, byContainers }: BadTypes): readonly string[] =>
  sortedSet([...(byPod === undefined ? [] : [byPod]), ...byContainers.map((one) => one.type)]);

const appArmorPrefix = 'container.apparmor.security.beta.kubernetes.io/';

const isAllowedAppArmor = (value: string): boolean =>
  value === '' || value === 'runtime/default' || value.startsWith('localhost/');

function checkAppArmor(pod: Pod): Violation | undefined {
  const types = badTypesOf(pod, 'appArmorProfile');
  const annotations = Object.keys(pod.annotations)
    .filter((key) => key.startsWith(appArmorPrefix) && !isAllowedAppArmor(text(pod.annotations, key)))
    .sort();
  const setters = [
    settersOf(
      types.byPod !== undefined,
      types.byContainers.map((one) => one.container),
    ),
  ];
  if (annotations.length > 0) setters.push(plural(annotations.length, 'annotation', 'annotations'));
  const values = [...valuesOf(types), ...sortedSet(annotations.map((key) => assignment(pod, key)))];
  if (values.length === 0) return undefined;
  return {
    reason: plural(values.length, 'forbidden AppArmor profile', 'forbidden AppArmor profiles'),
    detail: `${setters.filter((setter) => setter !== '').join(' and ')} must not set AppArmor profile type to ${quoted(values)}`,
    errors: [
      ...types.errors,
      ...annotations.map((key) => forbidden(`metadata.annotations[${key}]`, text(pod.annotations, key))),
    ],
  };
}

const assignment = (pod: Pod, key: string): string => `${key}=${JSON.stringify(text(pod.annotations, key))}`;

export const appArmorProfile: Check = {
  id: 'appArmorProfile',
  level: 'baseline',
  versions: [{ minor: 0, check: checkAppArmor }],
};

const isAllowedSeccomp = (value: string): boolean =>
  value === 'runtime/default' || value === 'docker/default' || value.startsWith('localhost/');

/** Annotations, which were used before the field existed. */
function checkSeccompAnnotations(pod: Pod): Violation | undefined {
  const keys = [
    'seccomp.security.alpha.kubernetes.io/pod',
    ...containersOf(pod).map(({ name }) => `container.seccomp.security.alpha.kubernetes.io/${name}`),
  ].filter((key) => Object.hasOwn(pod.annotations, key) && !isAllowedSeccomp(text(pod.annotations, key)));
  if (keys.length === 0) return undefined;
  const values = sortedSet(keys.map((key) => assignment(pod, key)));
  return {
    reason: 'seccompProfile',
    detail: `forbidden ${plural(values.length, 'annotation', 'annotations')} ${values.join(', ')}`,
    // Once per container: containers of different lists may share a name.
    errors: [...keys].sort().map((key) => forbidden(`metadata.annotations[${key}]`, text(pod.annotations, key))),
  };
}

function checkSeccompTypes(pod: Pod): Violation | undefined {
  const types = badTypesOf(pod, 'seccompProfile');
  if (types.errors.length === 0) return undefined;
  const setters = settersOf(
    types.byPod !== undefined,
    types.byContainers.map((one) => one.container),
  );
  const detail = `${setters} must not set securityContext.seccompProfile.type to ${quoted(valuesOf(types))}`;
  return { reason: 'seccompProfile', detail, errors: types.errors };
}

export const seccompBaseline: Check = {
  id: 'seccompProfile_baseline',
  level: 'baseline',
  versions: [
    { minor: 0, check: checkSeccompAnnotations },
    { minor: 19, check: checkSeccompTypes },
  ],
};

function checkSeccompSet(pod: Pod): Violation | undefined {
  const bad = checkSeccompTypes(pod);
  if (bad) return bad;
  if (typeOf(optional(pod.spec, 'securityContext'), 'seccompProfile') !== undefined) return undefined;
  const unset = containersOf(pod).filter(
    (container) => typeOf(container.securityContext, 'seccompProfile') === undefined,
  );
  if (unset.length === 0) return undefined;
  return {
    reason: 'seccompProfile',
    detail: `pod or ${namesOf(unset)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
    errors: unset.map((container) => required(`${container.path}.securityContext.seccompProfile.type`)),
  };
}

export const seccompRestricted: Check = {
  id: 'seccompProfile_restricted',
  level: 'restricted',
  versions: [
    { minor: 19, check: checkSeccompSet },
    { minor: 25, check: (pod) => (isWindows(pod) ? undefined : checkSeccompSet(pod)) },
  ],
};

/** A pod for Windows cannot set fields that exist only on Linux. */
export function isWindows({ spec }: Pod): boolean {
  const os = optional(spec, 'os');
  return os !== undefined && text(os, 'name') === 'windows';
}
