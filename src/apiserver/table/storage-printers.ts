import type { PersistentVolume, PersistentVolumeClaim } from 'kubernetes-types/core/v1.js';
import type { CSIDriver, CSINode, StorageClass, VolumeAttachment } from 'kubernetes-types/storage/v1.js';
import { ageColumn, boolean, createdOf, integer, nameColumn, nameOf, printerOf, text, wide } from './printer.ts';

const volumeModeColumn = wide('VolumeMode', 'File system or block device.');
const attributesColumn = text('VolumeAttributesClass', 'Class of settings that can change later.');
const legacyClass = 'volume.beta.kubernetes.io/storage-class';

export const persistentVolumePrinter = printerOf<PersistentVolume>(
  [
    nameColumn,
    text('Capacity', 'Size of the volume.'),
    text('Access Modes', 'Ways in which it can be mounted.'),
    text('Reclaim Policy', 'What happens to it once released.'),
    text('Status', 'Whether it is available, bound or released.'),
    text('Claim', 'Claim it is bound to.'),
    text('StorageClass', 'Class it belongs to.'),
    attributesColumn,
    text('Reason', 'Why it is in this status.'),
    ageColumn,
    volumeModeColumn,
  ],
  (object, age) => [
    nameOf(object),
    object.spec?.capacity?.['storage'] ?? '0',
    accessModes(object.spec?.accessModes),
    object.spec?.persistentVolumeReclaimPolicy ?? '',
    object.metadata?.deletionTimestamp ? 'Terminating' : (object.status?.phase ?? ''),
    object.spec?.claimRef ? `${object.spec.claimRef.namespace ?? ''}/${object.spec.claimRef.name ?? ''}` : '',
    object.metadata?.annotations?.[legacyClass] ?? object.spec?.storageClassName ?? '',
    object.spec?.volumeAttributesClassName ?? '<unset>',
    object.status?.reason ?? '',
    age(createdOf(object)),
    object.spec?.volumeMode ?? '<unset>',
  ],
);

export const persistentVolumeClaimPrinter = printerOf<PersistentVolumeClaim>(
  [
    nameColumn,
    text('Status', 'Whether it is pending, bound or lost.'),
    text('Volume', 'Volume it is bound to.'),
    text('Capacity', 'Size of the volume.'),
    text('Access Modes', 'Ways in which the volume can be mounted.'),
    text('StorageClass', 'Class asked for.'),
    attributesColumn,
    ageColumn,
    volumeModeColumn,
  ],
  (object, age) => {
    const isBound = Boolean(object.spec?.volumeName);
    return [
      nameOf(object),
      object.metadata?.deletionTimestamp ? 'Terminating' : (object.status?.phase ?? ''),
      object.spec?.volumeName ?? '',
      isBound ? (object.status?.capacity?.['storage'] ?? '0') : '',
      isBound ? accessModes(object.status?.accessModes) : '',
      object.metadata?.annotations?.[legacyClass] ?? object.spec?.storageClassName ?? '',
      object.spec?.volumeAttributesClassName ?? '<unset>',
      age(createdOf(object)),
      object.spec?.volumeMode ?? '<unset>',
    ];
  },
);

const shortModes = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
] as const;

function accessModes(modes: readonly string[] = []): string {
  return shortModes
    .filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(',');
}

const defaultClass = 'storageclass.kubernetes.io/is-default-class';
const defaultClassBeta = 'storageclass.beta.kubernetes.io/is-default-class';

export const storageClassPrinter = printerOf<StorageClass>(
  [
    nameColumn,
    text('Provisioner', 'Driver that makes the volumes.'),
    text('ReclaimPolicy', 'What happens to volumes once released.'),
    text('VolumeBindingMode', 'When volumes are made and bound.'),
    text('AllowVolumeExpansion', 'Whether volumes can grow.'),
    ageColumn,
  ],
  (object, age) => {
    const annotations = object.metadata?.annotations;
    const isDefault = annotations?.[defaultClass] === 'true' || annotations?.[defaultClassBeta] === 'true';
    return [
      `${nameOf(object)}${isDefault ? ' (default)' : ''}`,
      object.provisioner,
      object.reclaimPolicy ?? 'Delete',
      object.volumeBindingMode ?? 'Immediate',
      object.allowVolumeExpansion ?? false,
      age(createdOf(object)),
    ];
  },
);

export const volumeAttributesClassPrinter = printerOf<{
  driverName?: string;
  metadata?: StorageClass['metadata'] & {};
}>([nameColumn, text('DriverName', 'Driver that knows the attributes.'), ageColumn], (object, age) => [
  nameOf(object),
  object.driverName ?? '',
  age(createdOf(object)),
]);

export const volumeAttachmentPrinter = printerOf<VolumeAttachment>(
  [
    nameColumn,
    { ...text('Attacher', 'Driver that attaches the volume.'), format: 'name' },
    text('PV', 'Volume to attach.'),
    text('Node', 'Node to attach it to.'),
    boolean('Attached', 'Whether it is attached.'),
    ageColumn,
  ],
  (object, age) => [
    nameOf(object),
    object.spec.attacher,
    object.spec.source.persistentVolumeName ?? '',
    object.spec.nodeName,
    object.status?.attached ?? false,
    age(createdOf(object)),
  ],
);

export const csiNodePrinter = printerOf<CSINode>(
  [nameColumn, integer('Drivers', 'Number of drivers on the node.'), ageColumn],
  (object, age) => [nameOf(object), object.spec.drivers.length, age(createdOf(object))],
);

export const csiDriverPrinter = printerOf<CSIDriver>(
  [
    nameColumn,
    boolean('AttachRequired', 'Whether volumes are attached before they are mounted.'),
    boolean('PodInfoOnMount', 'Whether the driver is told about the pod.'),
    boolean('StorageCapacity', 'Whether free capacity is published.'),
    text('TokenRequests', 'Audiences of the tokens the driver gets.'),
    boolean('RequiresRepublish', 'Whether the driver is called again from time to time.'),
    text('Modes', 'Kinds of volumes.'),
    ageColumn,
  ],
  (object, age) => [
    nameOf(object),
    object.spec.attachRequired ?? true,
    object.spec.podInfoOnMount ?? false,
    object.spec.storageCapacity ?? false,
    object.spec.tokenRequests?.map((one) => one.audience).join(',') ?? '<unset>',
    object.spec.requiresRepublish ?? false,
    object.spec.volumeLifecycleModes?.join(',') || '<none>',
    age(createdOf(object)),
  ],
);
