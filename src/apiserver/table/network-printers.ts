import type { Endpoints, Service } from 'kubernetes-types/core/v1.js';
import type { EndpointSlice } from 'kubernetes-types/discovery/v1.js';
import type { Ingress, IngressClass, NetworkPolicy } from 'kubernetes-types/networking/v1.js';
import { renderGroupResource } from '../../object/index.ts';
import { renderLabels, renderSelector } from './label-text.ts';
import { ageColumn, createdOf, nameColumn, nameOf, printerOf, selectorColumn, text } from './printer.ts';

export const servicePrinter = printerOf<Service>(
  [
    nameColumn,
    text('Type', 'How the service is reached.'),
    text('Cluster-IP', 'Address inside the cluster.'),
    text('External-IP', 'Addresses outside the cluster.'),
    text('Port(s)', 'Ports of the service.'),
    ageColumn,
    selectorColumn,
  ],
  (object, age) => [
    nameOf(object),
    object.spec?.type ?? '',
    object.spec?.clusterIPs?.[0] ?? '<none>',
    externalIp(object),
    servicePorts(object),
    age(createdOf(object)),
    renderLabels(object.spec?.selector),
  ],
);

function externalIp({ spec, status }: Service): string {
  const listed = spec?.externalIPs ?? [];
  switch (spec?.type) {
    case 'ClusterIP':
    case 'NodePort':
      return listed.join(',') || '<none>';
    case 'LoadBalancer':
      return [...balancerPoints(status?.loadBalancer?.ingress), ...listed].join(',') || '<pending>';
    case 'ExternalName':
      return spec.externalName ?? '';
    default:
      return '<unknown>';
  }
}

function servicePorts({ spec }: Service): string {
  const pieces = (spec?.ports ?? []).map(({ port, nodePort, protocol }) =>
    nodePort ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`,
  );
  return pieces.join(',') || '<none>';
}

function balancerPoints(ingress: readonly { readonly ip?: string; readonly hostname?: string }[] = []): string[] {
  return [...new Set(ingress.map((point) => point.ip || point.hostname || '').filter((point) => point !== ''))].sort();
}

export const endpointsPrinter = printerOf<Endpoints>(
  [nameColumn, text('Endpoints', 'Addresses and ports behind the service.'), ageColumn],
  (object, age) => {
    const all = (object.subsets ?? []).flatMap(({ addresses = [], ports = [] }) =>
      ports.length === 0
        ? addresses.map((address) => address.ip)
        : ports.flatMap(({ port }) =>
            addresses.map(({ ip }) => (ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`)),
          ),
    );
    const cell = (object.subsets ?? []).length === 0 ? '<none>' : firstThree(all);
    return [nameOf(object), cell, age(createdOf(object))];
  },
);

export const endpointSlicePrinter = printerOf<EndpointSlice>(
  [
    nameColumn,
    text('AddressType', 'Kind of the addresses.'),
    text('Ports', 'Ports of every endpoint.'),
    text('Endpoints', 'Addresses of the endpoints.'),
    ageColumn,
  ],
  (object, age) => [
    nameOf(object),
    object.addressType,
    firstThree((object.ports ?? []).map((one) => (one.port === undefined ? (one.name ?? '*') : `${one.port}`))) ||
      '<unset>',
    firstThree((object.endpoints ?? []).flatMap((one) => one.addresses)) || '<unset>',
    age(createdOf(object)),
  ],
);

function firstThree(all: readonly string[]): string {
  const shown = all.slice(0, 3).join(',');
  return all.length > 3 ? `${shown} + ${all.length - 3} more...` : shown;
}

export const ingressPrinter = printerOf<Ingress>(
  [
    nameColumn,
    text('Class', 'IngressClass that serves it.'),
    text('Hosts', 'Host names of the rules.'),
    text('Address', 'Addresses of the load balancer.'),
    text('Ports', 'Ports that are open.'),
    ageColumn,
  ],
  (object, age) => [
    nameOf(object),
    object.spec?.ingressClassName ?? '<none>',
    ingressHosts(object),
    balancerPoints(object.status?.loadBalancer?.ingress).join(','),
    (object.spec?.tls ?? []).length > 0 ? '80, 443' : '80',
    age(createdOf(object)),
  ],
);

function ingressHosts({ spec }: Ingress): string {
  const rules = spec?.rules ?? [];
  const hosts: string[] = [];
  let more = false;
  for (const rule of rules) {
    // The count of rules left over includes those without a host, as kubectl users know it.
    if (hosts.length === 3) more = true;
    else if (rule.host) hosts.push(rule.host);
  }
  if (hosts.length === 0) return '*';
  return more ? `${hosts.join(',')} + ${rules.length - 3} more...` : hosts.join(',');
}

export const ingressClassPrinter = printerOf<IngressClass>(
  [
    nameColumn,
    text('Controller', 'Controller that serves the class.'),
    text('Parameters', 'Object with further settings.'),
    ageColumn,
  ],
  (object, age) => {
    const isDefault = object.metadata?.annotations?.['ingressclass.kubernetes.io/is-default-class'] === 'true';
    const parameters = object.spec?.parameters;
    const kind = parameters && renderGroupResource({ group: parameters.apiGroup ?? '', resource: parameters.kind });
    return [
      `${nameOf(object)}${isDefault ? ' (default)' : ''}`,
      object.spec?.controller ?? '',
      parameters ? `${kind}/${parameters.name}` : '<none>',
      age(createdOf(object)),
    ];
  },
);

export const networkPolicyPrinter = printerOf<NetworkPolicy>(
  [nameColumn, text('Pod-Selector', 'Pods the policy applies to.'), ageColumn],
  (object, age) => [nameOf(object), renderSelector(object.spec?.podSelector) || '<none>', age(createdOf(object))],
);
