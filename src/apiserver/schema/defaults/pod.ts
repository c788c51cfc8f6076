import { type Fields, isUnset, listIn, numberIn, objectIn, stringIn } from '../value.ts';
import { type Defaulter, fill, within } from './fill.ts';

const core = 'io.k8s.api.core.v1.';

/** The tag of an image reference as the default pull policy sees it: none means latest, unless there is a digest. */
function tagOf(image: string): string {
  const at = image.indexOf('@');
  const name = at === -1 ? image : image.slice(0, at);
  const colon = name.lastIndexOf(':');
  if (colon > name.lastIndexOf('/')) return name.slice(colon + 1);
  return at === -1 ? 'latest' : '';
}

const pullPolicyOf = (image: string) => (tagOf(image) === 'latest' ? 'Always' : 'IfNotPresent');

const containerDefaults = {
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  resources: {},
};

const container: Defaulter = (object) => {
  if (stringIn(object, 'imagePullPolicy') !== '') return fill(object, containerDefaults);
  return fill(object, { imagePullPolicy: pullPolicyOf(stringIn(object, 'image')), ...containerDefaults });
};

const volume: Defaulter = (object) => {
  for (const key in object) if (key !== 'name' && !isUnset(object[key])) return volumeImage(object);
  return { ...object, emptyDir: {} };
};

const volumeImage: Defaulter = (object) => {
  const image = objectIn(object, 'image');
  if (!image || stringIn(image, 'pullPolicy') !== '') return object;
  return { ...object, image: { ...image, pullPolicy: pullPolicyOf(stringIn(image, 'reference')) } };
};

const podSpec: Defaulter = (object) => {
  const filled = fill(object, {
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'default-scheduler',
  });
  // The account has two names, the older of which only repeats the newer.
  const account = stringIn(filled, 'serviceAccountName') || stringIn(filled, 'serviceAccount');
  if (account === '' || (filled['serviceAccountName'] === account && filled['serviceAccount'] === account))
    return filled;
  return { ...filled, serviceAccountName: account, serviceAccount: account };
};

/** What a Pod gets beyond its spec's own defaults; templates of pods do not get these. */
const pod: Defaulter = (object) => {
  const before = objectIn(object, 'spec');
  if (!before) return object;
  const isHostNetwork = before['hostNetwork'] === true;
  let spec = fill(before, { enableServiceLinks: true });
  for (const field of ['containers', 'initContainers']) {
    spec = eachIn(spec, field, (item) => {
      const requested = requestsFromLimits(item);
      return isHostNetwork ? eachIn(requested, 'ports', hostPort) : requested;
    });
  }
  return spec === before ? object : { ...object, spec };
};

const hostPort: Defaulter = (port) =>
  (numberIn(port, 'hostPort') ?? 0) === 0 ? { ...port, hostPort: port['containerPort'] } : port;

function requestsFromLimits(item: Fields): Fields {
  const resources = objectIn(item, 'resources');
  const limits = objectIn(resources, 'limits');
  if (!resources || !limits) return item;
  const before = objectIn(resources, 'requests') ?? {};
  const requests = fill(before, limits);
  return requests === before ? item : { ...item, resources: { ...resources, requests } };
}

/** Changes every object of a list, copying only what changes. */
function eachIn(holder: Fields, key: string, change: Defaulter): Fields {
  const list = listIn(holder, key);
  let copy: unknown[] | undefined;
  for (let i = 0; i < list.length; i++) {
    const before = list[i];
    if (typeof before !== 'object' || before === null) continue;
    const after = change(before as Fields);
    if (after !== before) (copy ??= [...list])[i] = after;
  }
  return copy ? { ...holder, [key]: copy } : holder;
}

const namespace: Defaulter = (object) => {
  const name = stringIn(objectIn(object, 'metadata'), 'name');
  if (name === '') return object;
  return within(object, 'metadata', (metadata) =>
    within(metadata, 'labels', (labels) =>
      labels['kubernetes.io/metadata.name'] === name ? labels : { ...labels, 'kubernetes.io/metadata.name': name },
    ),
  );
};

const replicationController: Defaulter = (object) => {
  const labels = objectIn(objectIn(objectIn(objectIn(object, 'spec'), 'template'), 'metadata'), 'labels');
  if (!labels) return object;
  const named = within(object, 'metadata', (metadata) => fill(metadata, { labels }));
  return within(named, 'spec', (spec) => fill(spec, { selector: labels }));
};

const limitRangeItem: Defaulter = (object) => {
  if (object['type'] !== 'Container') return object;
  const limits = fill(objectIn(object, 'default') ?? {}, objectIn(object, 'max') ?? {});
  const requests = fill(fill(objectIn(object, 'defaultRequest') ?? {}, limits), objectIn(object, 'min') ?? {});
  return { ...object, default: limits, defaultRequest: requests };
};

const nodeStatus: Defaulter = (object) => {
  const capacity = objectIn(object, 'capacity');
  return capacity ? fill(object, { allocatable: capacity }) : object;
};

export const podDefaulters: Readonly<Record<string, Defaulter>> = {
  [`${core}Container`]: container,
  [`${core}EphemeralContainer`]: container,
  [`${core}Volume`]: volume,
  [`${core}Pod`]: pod,
  [`${core}PodSpec`]: podSpec,
  [`${core}Namespace`]: namespace,
  [`${core}ReplicationController`]: replicationController,
  [`${core}LimitRangeItem`]: limitRangeItem,
  [`${core}NodeStatus`]: nodeStatus,
};
