import type { Lease } from 'kubernetes-types/coordination/v1.js';
import type {
  ConfigMap,
  Event as CoreEvent,
  Namespace,
  Node,
  ResourceQuota,
  Secret,
  ServiceAccount,
} from 'kubernetes-types/core/v1.js';
import type { Event as NewEvent } from 'kubernetes-types/events/v1.js';
import type { RuntimeClass } from 'kubernetes-types/node/v1.js';
import type { PriorityClass } from 'kubernetes-types/scheduling/v1.js';
import { findCondition } from '../../object/index.ts';
import {
  type Age,
  ageColumn,
  boolean,
  createdOf,
  integer,
  nameColumn,
  nameOf,
  printerOf,
  text,
  wide,
} from './printer.ts';
import type { Cell } from './types.ts';

export const namespacePrinter = printerOf<Namespace>(
  [nameColumn, text('Status', 'Whether the namespace is active or going away.'), ageColumn],
  (object, age) => [nameOf(object), object.status?.phase ?? '', age(createdOf(object))],
);

export const nodePrinter = printerOf<Node>(
  [
    nameColumn,
    text('Status', 'Whether the node can run pods.'),
    text('Roles', 'Roles given by labels.'),
    ageColumn,
    text('Version', 'Version of the kubelet.'),
    wide('Internal-IP', 'Address inside the cluster.'),
    wide('External-IP', 'Address outside the cluster.'),
    wide('OS-Image', 'Operating system.'),
    wide('Kernel-Version', 'Kernel and architecture.'),
    wide('Container-Runtime', 'Runtime and its version.'),
  ],
  (object, age) => {
    const info = object.status?.nodeInfo;
    const address = (type: string) => object.status?.addresses?.find((one) => one.type === type)?.address ?? '<none>';
    return [
      nameOf(object),
      nodeStatus(object),
      nodeRoles(object),
      age(createdOf(object)),
      info?.kubeletVersion ?? '',
      address('InternalIP'),
      address('ExternalIP'),
      info?.osImage || '<unknown>',
      `${info?.kernelVersion || '<unknown>'}${info?.architecture ? ` (${info.architecture})` : ''}`,
      info?.containerRuntimeVersion || '<unknown>',
    ];
  },
);

function nodeStatus({ spec, status }: Node): string {
  const ready = findCondition(status?.conditions, 'Ready');
  const word = !ready ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return spec?.unschedulable ? `${word},SchedulingDisabled` : word;
}

function nodeRoles({ metadata }: Node): string {
  const prefix = 'node-role.kubernetes.io/';
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(metadata?.labels ?? {})) {
    if (key.startsWith(prefix)) roles.add(key.slice(prefix.length));
    else if (key === 'kubernetes.io/role') roles.add(value);
  }
  roles.delete('');
  return [...roles].sort().join(',') || '<none>';
}

export const configMapPrinter = printerOf<ConfigMap>(
  [nameColumn, text('Data', 'Number of entries.'), ageColumn],
  (object, age) => [nameOf(object), size(object.data) + size(object.binaryData), age(createdOf(object))],
);

export const secretPrinter = printerOf<Secret>(
  [nameColumn, text('Type', 'What the entries mean.'), text('Data', 'Number of entries.'), ageColumn],
  (object, age) => [nameOf(object), object.type ?? '', size(object.data), age(createdOf(object))],
);

const size = (map: object | undefined) => Object.keys(map ?? {}).length;

export const serviceAccountPrinter = printerOf<ServiceAccount>([nameColumn, ageColumn], (object, age) => [
  nameOf(object),
  age(createdOf(object)),
]);

const eventColumns = [
  text('Last Seen', 'Time since it last happened.'),
  text('Type', 'Normal or Warning.'),
  text('Reason', 'What happened, in one word.'),
  text('Object', 'What it happened to.'),
  wide('Subobject', 'Part of the object.'),
  wide('Source', 'Who reported it.'),
  text('Message', 'What happened, in a sentence.'),
  wide('First Seen', 'Time since it first happened.'),
  wide('Count', 'How often it happened.'),
  { ...wide('Name', 'Name of the event object.'), format: 'name' },
];

export const eventPrinter = printerOf<CoreEvent>(eventColumns, (object, age) => eventCells(object, age));

/** The newer API has the same facts under other names. */
export const newEventPrinter = printerOf<NewEvent>(eventColumns, (object, age) =>
  eventCells(
    {
      metadata: object.metadata ?? {},
      involvedObject: object.regarding ?? {},
      source: object.deprecatedSource ?? {},
      message: object.note ?? '',
      type: object.type ?? '',
      reason: object.reason ?? '',
      reportingComponent: object.reportingController ?? '',
      reportingInstance: object.reportingInstance ?? '',
      eventTime: object.eventTime,
      ...(object.series ? { series: object.series } : {}),
      ...(object.deprecatedCount ? { count: object.deprecatedCount } : {}),
      ...(object.deprecatedFirstTimestamp ? { firstTimestamp: object.deprecatedFirstTimestamp } : {}),
      ...(object.deprecatedLastTimestamp ? { lastTimestamp: object.deprecatedLastTimestamp } : {}),
    },
    age,
  ),
);

function eventCells(event: CoreEvent, age: Age): readonly Cell[] {
  const { involvedObject, series } = event;
  const first = age(event.firstTimestamp || event.eventTime);
  const last = series ? age(series.lastObservedTime) : event.lastTimestamp ? age(event.lastTimestamp) : first;
  const kind = (involvedObject.kind ?? '').toLowerCase();
  const component = event.source?.component || event.reportingComponent || '';
  const instance = event.source?.host || event.reportingInstance;
  return [
    last,
    event.type ?? '',
    event.reason ?? '',
    involvedObject.name ? `${kind}/${involvedObject.name}` : kind,
    involvedObject.fieldPath ?? '',
    instance ? `${component}, ${instance}` : component,
    (event.message ?? '').trim(),
    first,
    series ? (series.count ?? 0) : event.count || 1,
    nameOf(event),
  ];
}

export const leasePrinter = printerOf<Lease>(
  [nameColumn, text('Holder', 'Who holds the lease.'), ageColumn],
  (object, age) => [nameOf(object), object.spec?.holderIdentity ?? '', age(createdOf(object))],
);

export const resourceQuotaPrinter = printerOf<ResourceQuota>(
  [nameColumn, text('Request', 'Used and allowed requests.'), text('Limit', 'Used and allowed limits.'), ageColumn],
  (object, age) => {
    const { hard = {}, used = {} } = object.status ?? {};
    const names = Object.keys(hard).sort();
    const isLimit = (name: string) => name.startsWith('limits.');
    const cell = (list: readonly string[]) =>
      list.map((name) => `${name}: ${used[name] ?? '0'}/${hard[name] ?? '0'}`).join(', ');
    return [
      nameOf(object),
      cell(names.filter((name) => !isLimit(name))),
      cell(names.filter(isLimit)),
      age(createdOf(object)),
    ];
  },
);

export const priorityClassPrinter = printerOf<PriorityClass>(
  [
    nameColumn,
    integer('Value', 'Higher goes first.'),
    boolean('Global-Default', 'Whether pods without a class get it.'),
    ageColumn,
    text('PreemptionPolicy', 'Whether lower pods are evicted.'),
  ],
  (object, age) => [
    nameOf(object),
    object.value,
    object.globalDefault ?? false,
    age(createdOf(object)),
    object.preemptionPolicy ?? '',
  ],
);

export const runtimeClassPrinter = printerOf<RuntimeClass>(
  [nameColumn, text('Handler', 'Configuration of the container runtime.'), ageColumn],
  (object, age) => [nameOf(object), object.handler, age(createdOf(object))],
);
