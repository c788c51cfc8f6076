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
import { type Container, containersOf, flag, integer, listOf, optional, type Pod, text, textsOf } from './pod.ts';
import { isWindows } from './profiles.ts';

const unlessWindows =
  (check: (pod: Pod) => Violation | undefined) =>
  (pod: Pod): Violation | undefined =>
    isWindows(pod) ? undefined : check(pod);

function checkEscalation(pod: Pod): Violation | undefined {
  const bad: Container[] = [];
  const errors: FieldError[] = [];
  for (const container of containersOf(pod)) {
    const allowed = flag(container.securityContext, 'allowPrivilegeEscalation');
    if (allowed === false) continue;
    bad.push(container);
    const field = `${container.path}.securityContext.allowPrivilegeEscalation`;
    errors.push(container.securityContext ? forbidden(field, allowed ?? 'nil') : required(field));
  }
  if (bad.length === 0) return undefined;
  return {
    reason: 'allowPrivilegeEscalation != false',
    detail: `${namesOf(bad)} must set securityContext.allowPrivilegeEscalation=false`,
    errors,
  };
}

export const allowPrivilegeEscalation: Check = {
  id: 'allowPrivilegeEscalation',
  level: 'restricted',
  versions: [
    { minor: 8, check: checkEscalation },
    { minor: 25, check: unlessWindows(checkEscalation) },
  ],
};

function checkCapabilities(pod: Pod): Violation | undefined {
  const containers = containersOf(pod).map((container) => {
    const capabilities = (container.securityContext && optional(container.securityContext, 'capabilities')) ?? {};
    const added = sortedSet(textsOf(capabilities, 'add').filter((name) => name !== 'NET_BIND_SERVICE'));
    const dropped = sortedSet(textsOf(capabilities, 'drop'));
    return { container, added, dropped, at: `${container.path}.securityContext.capabilities` };
  });
  const keeping = containers.filter((one) => !one.dropped.includes('ALL'));
  const adding = containers.filter((one) => one.added.length > 0);
  if (keeping.length === 0 && adding.length === 0) return undefined;
  const details: string[] = [];
  if (keeping.length > 0) {
    details.push(`${namesOf(keeping.map((one) => one.container))} must set securityContext.capabilities.drop=["ALL"]`);
  }
  if (adding.length > 0) {
    const values = quoted(sortedSet(adding.flatMap((one) => one.added)));
    const names = namesOf(adding.map((one) => one.container));
    details.push(`${names} must not include ${values} in securityContext.capabilities.add`);
  }
  return {
    reason: 'unrestricted capabilities',
    detail: details.join('; '),
    errors: [
      ...keeping.map(({ at, dropped }) =>
        dropped.length > 0 ? forbidden(`${at}.drop`, dropped) : required(`${at}.drop`),
      ),
      ...adding.map(({ at, added }) => forbidden(`${at}.add`, added)),
    ],
  };
}

export const capabilitiesRestricted: Check = {
  id: 'capabilities_restricted',
  level: 'restricted',
  versions: [
    { minor: 22, check: checkCapabilities },
    { minor: 25, check: unlessWindows(checkCapabilities) },
  ],
};

const volumesAllowed = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
];

/** In the order that names a volume with several sources. */
const volumesNamed = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'gitRepo',
  'nfs',
  'iscsi',
  'glusterfs',
  'rbd',
  'flexVolume',
  'cinder',
  'cephfs',
  'flocker',
  'fc',
  'azureFile',
  'vsphereVolume',
  'quobyte',
  'azureDisk',
  'photonPersistentDisk',
  'portworxVolume',
  'scaleIO',
  'storageos',
];

function checkVolumes({ spec }: Pod): Violation | undefined {
  const bad = listOf(spec, 'volumes').flatMap((volume, index) => {
    const has = (source: string) => optional(volume, source) !== undefined;
    if (volumesAllowed.some(has)) return [];
    return [{ name: text(volume, 'name'), index, type: volumesNamed.find(has) ?? 'unknown' }];
  });
  if (bad.length === 0) return undefined;
  const types = sortedSet(bad.map((one) => one.type));
  const names = `${plural(bad.length, 'volume', 'volumes')} ${quoted(bad.map((one) => one.name))}`;
  const use = `${plural(bad.length, 'uses', 'use')} ${plural(types.length, 'restricted volume type', 'restricted volume types')}`;
  return {
    reason: 'restricted volume types',
    detail: `${names} ${use} ${quoted(types)}`,
    errors: bad.map(({ index, type }) => forbidden(`spec.volumes[${index}].${type}`)),
  };
}

export const restrictedVolumes: Check = {
  id: 'restrictedVolumes',
  level: 'restricted',
  versions: [{ minor: 0, check: checkVolumes }],
};

function checkNonRoot(pod: Pod): Violation | undefined {
  const at = (path: string) => `${path}.securityContext.runAsNonRoot`;
  const ofPod = flag(optional(pod.spec, 'securityContext'), 'runAsNonRoot');
  const containers = containersOf(pod);
  const setting = containers.filter((one) => flag(one.securityContext, 'runAsNonRoot') === false);
  const unset =
    ofPod === true ? [] : containers.filter((one) => flag(one.securityContext, 'runAsNonRoot') === undefined);
  const details: string[] = [];
  if (ofPod === false || setting.length > 0) {
    details.push(`${settersOf(ofPod === false, setting)} must not set securityContext.runAsNonRoot=false`);
  }
  if (unset.length > 0) details.push(`pod or ${namesOf(unset)} must set securityContext.runAsNonRoot=true`);
  if (details.length === 0) return undefined;
  return {
    reason: 'runAsNonRoot != true',
    detail: details.join('\n'),
    errors: [
      ...(ofPod === false ? [forbidden(at('spec'), false)] : []),
      ...setting.map((one) => forbidden(at(one.path), false)),
      ...unset.map((one) => required(at(one.path))),
    ],
  };
}

export const runAsNonRoot: Check = {
  id: 'runAsNonRoot',
  level: 'restricted',
  versions: [{ minor: 0, check: checkNonRoot }],
};

function checkUser(pod: Pod): Violation | undefined {
  const byPod = integer(optional(pod.spec, 'securityContext'), 'runAsUser') === 0;
  const bad = containersOf(pod).filter((one) => integer(one.securityContext, 'runAsUser') === 0);
  if (!byPod && bad.length === 0) return undefined;
  const paths = [...(byPod ? ['spec'] : []), ...bad.map((one) => one.path)];
  return {
    reason: 'runAsUser=0',
    detail: `${settersOf(byPod, bad)} must not set runAsUser=0`,
    errors: paths.map((path) => forbidden(`${path}.securityContext.runAsUser`, 0)),
  };
}

export const runAsUser: Check = {
  id: 'runAsUser',
  level: 'restricted',
  versions: [{ minor: 23, check: checkUser }],
};
