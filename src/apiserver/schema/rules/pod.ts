import { validateDnsLabel, validateDnsSubdomain } from '../../../object/index.ts';
import { duplicate, type FieldError, forbidden, invalid, notFound, required } from '../field-error.ts';
import { Path } from '../path.ts';
import { type Fields, isObject, listIn, numberIn, objectIn, stringIn } from '../value.ts';
import { checkConfigKey, checkOneOf, checkPort, portNameIssues } from './common.ts';
import { checkAnnotations, checkLabels, negative } from './metadata.ts';

const restartPolicies = ['Always', 'OnFailure', 'Never'];
const dnsPolicies = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const pullPolicies = ['Always', 'IfNotPresent', 'Never'];
const messagePolicies = ['File', 'FallbackToLogsOnError'];
const protocols = ['SCTP', 'TCP', 'UDP'];

export function checkPod(pod: Fields, errors: FieldError[]): void {
  const spec = objectIn(pod, 'spec') ?? {};
  checkPodSpec(spec, Path.of('spec'), errors);
  if (stringIn(spec, 'serviceAccountName') === '') checkNoTokens(spec, errors);
}

function checkNoTokens(spec: Fields, errors: FieldError[]): void {
  for (const [i, volume] of listIn(spec, 'volumes').entries()) {
    const projected = objectIn(volume as Fields, 'projected');
    for (const [j, source] of listIn(projected, 'sources').entries()) {
      if (!objectIn(source as Fields, 'serviceAccountToken')) continue;
      const where = Path.of('spec', 'volumes').at(i).child('projected', 'sources').at(j).child('serviceAccountToken');
      errors.push(forbidden(where, 'must not be specified when serviceAccountName is not set'));
    }
  }
}

/** The template of a workload. */
export function checkPodTemplate(
  template: Fields,
  where: Path,
  errors: FieldError[],
  extraVolumes?: readonly string[],
): void {
  const metadata = objectIn(template, 'metadata');
  checkLabels(objectIn(metadata, 'labels'), where.child('labels'), errors);
  checkAnnotations(objectIn(metadata, 'annotations'), where.child('annotations'), errors);
  checkPodSpec(objectIn(template, 'spec') ?? {}, where.child('spec'), errors, extraVolumes);
}

function checkPodSpec(spec: Fields, where: Path, errors: FieldError[], extraVolumes: readonly string[] = []): void {
  const volumes = checkVolumes(listIn(spec, 'volumes'), where.child('volumes'), errors);
  for (const name of extraVolumes) volumes.add(name);
  const names = new Set<string>();
  const containers = listIn(spec, 'containers');
  if (containers.length === 0) errors.push(required(where.child('containers')));
  const scope = { volumes, names };
  checkContainers(containers, where.child('containers'), scope, errors);
  checkContainers(listIn(spec, 'initContainers'), where.child('initContainers'), scope, errors);
  checkOneOf(spec, 'restartPolicy', restartPolicies, where, errors);
  checkOneOf(spec, 'dnsPolicy', dnsPolicies, where, errors);
  const grace = numberIn(spec, 'terminationGracePeriodSeconds') ?? 0;
  if (grace < 0) errors.push(invalid(where.child('terminationGracePeriodSeconds'), grace, negative));
  const deadline = numberIn(spec, 'activeDeadlineSeconds');
  if (deadline !== undefined && (deadline < 1 || deadline > 2 ** 31 - 1)) {
    errors.push(invalid(where.child('activeDeadlineSeconds'), deadline, 'must be between 1 and 2147483647, inclusive'));
  }
  for (const key of ['serviceAccountName', 'nodeName', 'priorityClassName']) {
    const name = stringIn(spec, key);
    if (name === '') continue;
    for (const message of validateDnsSubdomain(name)) errors.push(invalid(where.child(key), name, message));
  }
  checkLabels(objectIn(spec, 'nodeSelector'), where.child('nodeSelector'), errors);
}

function checkVolumes(volumes: readonly unknown[], where: Path, errors: FieldError[]): Set<string> {
  const names = new Set<string>();
  for (const [i, volume] of volumes.entries()) {
    if (!isObject(volume)) continue;
    const here = where.at(i);
    const name = stringIn(volume, 'name');
    const before = errors.length;
    const sources = Object.keys(volume).filter((key) => key !== 'name' && volume[key] !== null);
    if (sources.length === 0) errors.push(required(here, 'must specify a volume type'));
    for (const source of sources.slice(1)) {
      errors.push(forbidden(here.child(source), 'may not specify more than 1 volume type'));
    }
    if (name === '') errors.push(required(here.child('name')));
    else for (const message of validateDnsLabel(name)) errors.push(invalid(here.child('name'), name, message));
    if (names.has(name)) errors.push(duplicate(here.child('name'), name));
    checkVolumeSource(volume, here, errors);
    // A volume with a mistake does not exist for the mounts, as on the real server.
    if (errors.length === before) names.add(name);
  }
  return names;
}

const requiredInSource: readonly (readonly [source: string, field: string])[] = [
  ['configMap', 'name'],
  ['secret', 'secretName'],
  ['persistentVolumeClaim', 'claimName'],
  ['hostPath', 'path'],
];

function checkVolumeSource(volume: Fields, where: Path, errors: FieldError[]): void {
  for (const [source, field] of requiredInSource) {
    const given = objectIn(volume, source);
    if (given && stringIn(given, field) === '') errors.push(required(where.child(source, field)));
  }
}

interface Scope {
  readonly volumes: ReadonlySet<string>;
  /** Names taken so far, over all kinds of containers. */
  readonly names: Set<string>;
}

function checkContainers(containers: readonly unknown[], where: Path, scope: Scope, errors: FieldError[]): void {
  for (const [i, container] of containers.entries()) {
    if (!isObject(container)) continue;
    const here = where.at(i);
    const name = stringIn(container, 'name');
    checkContainer(container, here, scope, errors);
    if (scope.names.has(name) && name !== '') errors.push(duplicate(here.child('name'), name));
    scope.names.add(name);
  }
}

function checkContainer(container: Fields, where: Path, scope: Scope, errors: FieldError[]): void {
  const name = stringIn(container, 'name');
  if (name === '') errors.push(required(where.child('name')));
  else for (const message of validateDnsLabel(name)) errors.push(invalid(where.child('name'), name, message));
  const image = stringIn(container, 'image');
  if (image === '') errors.push(required(where.child('image')));
  else if (image !== image.trim()) {
    errors.push(invalid(where.child('image'), image, 'must not have leading or trailing whitespace'));
  }
  checkOneOf(container, 'terminationMessagePolicy', messagePolicies, where, errors);
  checkContainerPorts(listIn(container, 'ports'), where.child('ports'), errors);
  checkEnv(listIn(container, 'env'), where.child('env'), errors);
  checkMounts(listIn(container, 'volumeMounts'), where.child('volumeMounts'), scope, errors);
  checkOneOf(container, 'imagePullPolicy', pullPolicies, where, errors);
  for (const key of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    const probe = objectIn(container, key);
    if (probe) checkProbe(probe, where.child(key), key === 'readinessProbe', errors);
  }
}

function checkContainerPorts(ports: readonly unknown[], where: Path, errors: FieldError[]): void {
  const names = new Set<string>();
  for (const [i, port] of ports.entries()) {
    if (!isObject(port)) continue;
    const here = where.at(i);
    const name = stringIn(port, 'name');
    if (name !== '') {
      const issues = portNameIssues(name);
      for (const message of issues) errors.push(invalid(here.child('name'), name, message));
      if (issues.length === 0 && names.has(name)) errors.push(duplicate(here.child('name'), name));
      names.add(name);
    }
    const number = numberIn(port, 'containerPort') ?? 0;
    if (number === 0) errors.push(required(here.child('containerPort')));
    else checkPort(number, here.child('containerPort'), errors);
    const hostPort = numberIn(port, 'hostPort') ?? 0;
    if (hostPort !== 0) checkPort(hostPort, here.child('hostPort'), errors);
    checkOneOf(port, 'protocol', protocols, here, errors);
  }
}

const envSources = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'];

function checkEnv(env: readonly unknown[], where: Path, errors: FieldError[]): void {
  for (const [i, variable] of env.entries()) {
    if (!isObject(variable)) continue;
    const here = where.at(i);
    const name = stringIn(variable, 'name');
    if (name === '') errors.push(required(here.child('name')));
    else if (!/^[\x20-\x3c\x3e-\x7e]+$/.test(name)) {
      const rule = "a valid environment variable name must consist only of printable ASCII characters other than '='";
      errors.push(invalid(here.child('name'), name, rule));
    }
    const source = objectIn(variable, 'valueFrom');
    if (source) checkEnvSource(source, variable, here.child('valueFrom'), errors);
  }
}

function checkEnvSource(source: Fields, variable: Fields, where: Path, errors: FieldError[]): void {
  const given = envSources.filter((key) => objectIn(source, key));
  if (given.length === 0) {
    const must =
      'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';
    errors.push(invalid(where, '', must));
  }
  if (stringIn(variable, 'value') !== '' && given.length > 0) {
    errors.push(invalid(where, '', 'may not be specified when `value` is not empty'));
  } else if (given.length > 1) errors.push(invalid(where, '', 'may not have more than one field specified at a time'));
  for (const key of ['configMapKeyRef', 'secretKeyRef']) {
    const reference = objectIn(source, key);
    if (!reference) continue;
    const wanted = stringIn(reference, 'key');
    if (wanted === '') errors.push(required(where.child(key, 'key')));
    else checkConfigKey(wanted, where.child(key, 'key'), errors);
  }
}

function checkMounts(mounts: readonly unknown[], where: Path, scope: Scope, errors: FieldError[]): void {
  const paths = new Set<string>();
  for (const [i, mount] of mounts.entries()) {
    if (!isObject(mount)) continue;
    const here = where.at(i);
    const name = stringIn(mount, 'name');
    if (name === '') errors.push(required(here.child('name')));
    if (!scope.volumes.has(name)) errors.push(notFound(here.child('name'), name));
    const path = stringIn(mount, 'mountPath');
    if (path === '') errors.push(required(here.child('mountPath')));
    if (paths.has(path)) errors.push(invalid(here.child('mountPath'), path, 'must be unique'));
    paths.add(path);
  }
}

const handlers = ['exec', 'httpGet', 'tcpSocket', 'grpc'];

function checkProbe(probe: Fields, where: Path, mayNeedMore: boolean, errors: FieldError[]): void {
  const given = handlers.filter((key) => objectIn(probe, key));
  if (given.length === 0) errors.push(required(where, 'must specify a handler type'));
  for (const key of given.slice(1)) {
    errors.push(forbidden(where.child(key), 'may not specify more than 1 handler type'));
  }
  for (const key of [
    'initialDelaySeconds',
    'timeoutSeconds',
    'periodSeconds',
    'successThreshold',
    'failureThreshold',
  ]) {
    const value = numberIn(probe, key) ?? 0;
    if (value < 0) errors.push(invalid(where.child(key), value, negative));
  }
  const successes = numberIn(probe, 'successThreshold') ?? 1;
  if (!mayNeedMore && successes > 1) errors.push(invalid(where.child('successThreshold'), successes, 'must be 1'));
}
