import { setOwn } from '../../../base/index.ts';
import { type Fields, isUnset, listIn, objectIn, stringIn } from '../value.ts';
import { type Defaulter, fill, within } from './fill.ts';

/** Addresses and node ports are given out by the server, not here. */
const serviceSpec: Defaulter = (object) => {
  let spec = fill(object, { sessionAffinity: 'None', type: 'ClusterIP' });
  const type = stringIn(spec, 'type');
  if (spec['sessionAffinity'] === 'ClientIP') {
    const clientIp = objectIn(objectIn(spec, 'sessionAffinityConfig'), 'clientIP');
    if (isUnset(clientIp?.['timeoutSeconds'])) {
      spec = { ...spec, sessionAffinityConfig: { clientIP: { timeoutSeconds: 10_800 } } };
    }
  } else if (spec['sessionAffinity'] === 'None' && spec['sessionAffinityConfig'] !== undefined) {
    const { sessionAffinityConfig: _, ...rest } = spec;
    spec = rest;
  }
  spec = servicePorts(spec);
  const isExternal =
    type === 'LoadBalancer' || type === 'NodePort' || (type === 'ClusterIP' && listIn(spec, 'externalIPs').length > 0);
  if (isExternal) spec = fill(spec, { externalTrafficPolicy: 'Cluster' });
  if (type === 'NodePort' || type === 'LoadBalancer' || type === 'ClusterIP') {
    spec = fill(spec, { internalTrafficPolicy: 'Cluster' });
  }
  return type === 'LoadBalancer' ? fill(spec, { allocateLoadBalancerNodePorts: true }) : spec;
};

function servicePorts(spec: Fields): Fields {
  const ports = listIn(spec, 'ports');
  const filled = ports.map((port) => {
    const given = fill(port as Fields, { protocol: 'TCP' });
    const target = given['targetPort'];
    const isOpen = isUnset(target) || target === 0 || target === '';
    return isOpen ? { ...given, targetPort: given['port'] } : given;
  });
  return filled.some((port, i) => port !== ports[i]) ? { ...spec, ports: filled } : spec;
}

/** Text is write-only: it ends up among the data, where it wins. */
const secret: Defaulter = (object) => {
  const filled = fill(object, { type: 'Opaque' });
  const text = objectIn(filled, 'stringData');
  if (!text) return filled;
  const data: Record<string, unknown> = { ...objectIn(filled, 'data') };
  for (const key in text) setOwn(data, key, Buffer.from(String(text[key]), 'utf8').toString('base64'));
  const { stringData: _, ...rest } = filled;
  return { ...rest, data };
};

const networkPolicySpec: Defaulter = (object) => {
  if (listIn(object, 'policyTypes').length > 0) return object;
  return { ...object, policyTypes: listIn(object, 'egress').length > 0 ? ['Ingress', 'Egress'] : ['Ingress'] };
};

const subject: Defaulter = (object) =>
  object['kind'] === 'User' || object['kind'] === 'Group'
    ? fill(object, { apiGroup: 'rbac.authorization.k8s.io' })
    : object;

const customResourceDefinition: Defaulter = (object) => {
  const defaulted = within(object, 'spec', (spec) => {
    const kind = stringIn(objectIn(spec, 'names'), 'kind');
    const named = within(spec, 'names', (names) =>
      fill(names, kind === '' ? {} : { singular: kind.toLowerCase(), listKind: `${kind}List` }),
    );
    return fill(named, { conversion: { strategy: 'None' } });
  });
  const storage = listIn(objectIn(defaulted, 'spec'), 'versions').find((version) => (version as Fields)['storage']);
  if (storage === undefined || listIn(objectIn(defaulted, 'status'), 'storedVersions').length > 0) return defaulted;
  return within(defaulted, 'status', (status) => ({
    ...status,
    storedVersions: [stringIn(storage as Fields, 'name')],
  }));
};

export const serviceDefaulters: Readonly<Record<string, Defaulter>> = {
  'io.k8s.api.core.v1.ServiceSpec': serviceSpec,
  'io.k8s.api.core.v1.Secret': secret,
  'io.k8s.api.networking.v1.NetworkPolicySpec': networkPolicySpec,
  'io.k8s.api.rbac.v1.Subject': subject,
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition': customResourceDefinition,
};
