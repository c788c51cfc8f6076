import { validateDnsLabel, validateDnsSubdomain } from '../../../object/index.ts';
import { duplicate, type FieldError, invalid, required } from '../field-error.ts';
import { Path } from '../path.ts';
import { type Fields, isObject, listIn, numberIn, objectIn, stringIn } from '../value.ts';
import { checkOneOf, checkPort, portNameIssues } from './common.ts';
import { checkLabels } from './metadata.ts';

const specPath = Path.of('spec');
const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];

export function checkService(object: Fields, errors: FieldError[]): void {
  const spec = objectIn(object, 'spec') ?? {};
  const type = stringIn(spec, 'type');
  const ports = listIn(spec, 'ports');
  const isHeadless = spec['clusterIP'] === 'None';
  if (ports.length === 0 && !isHeadless && type !== 'ExternalName') errors.push(required(specPath.child('ports')));
  if (isHeadless && (type === 'LoadBalancer' || type === 'NodePort')) {
    const detail = `may not be set to 'None' for ${type} services`;
    errors.push(invalid(specPath.child('clusterIPs').at(0), 'None', detail));
  }
  if (type === 'ExternalName') {
    const name = stringIn(spec, 'externalName').replace(/\.$/, '');
    if (name === '') errors.push(required(specPath.child('externalName')));
    else
      for (const message of validateDnsSubdomain(name))
        errors.push(invalid(specPath.child('externalName'), name, message));
  }
  const names = new Set<string>();
  for (const [i, port] of ports.entries()) {
    if (isObject(port))
      checkServicePort(port, specPath.child('ports').at(i), { names, isNameRequired: ports.length > 1 }, errors);
  }
  checkDuplicatePorts(ports, errors);
  checkLabels(objectIn(spec, 'selector'), specPath.child('selector'), errors);
  checkOneOf(spec, 'sessionAffinity', ['ClientIP', 'None'], specPath, errors);
  checkOneOf(spec, 'type', types, specPath, errors);
}

interface PortScope {
  readonly names: Set<string>;
  readonly isNameRequired: boolean;
}

function checkServicePort(port: Fields, where: Path, { names, isNameRequired }: PortScope, errors: FieldError[]): void {
  const name = stringIn(port, 'name');
  if (name === '' && isNameRequired) errors.push(required(where.child('name')));
  else if (name !== '') {
    for (const message of validateDnsLabel(name)) errors.push(invalid(where.child('name'), name, message));
    if (names.has(name)) errors.push(duplicate(where.child('name'), name));
    names.add(name);
  }
  checkPort(numberIn(port, 'port') ?? 0, where.child('port'), errors);
  checkOneOf(port, 'protocol', ['SCTP', 'TCP', 'UDP'], where, errors);
  const target = port['targetPort'];
  if (typeof target === 'number') checkPort(target, where.child('targetPort'), errors);
  else if (typeof target === 'string') {
    for (const message of portNameIssues(target)) errors.push(invalid(where.child('targetPort'), target, message));
  }
}

function checkDuplicatePorts(ports: readonly unknown[], errors: FieldError[]): void {
  const seen = new Set<string>();
  for (const [i, port] of ports.entries()) {
    if (!isObject(port)) continue;
    const key = `${stringIn(port, 'protocol')}/${numberIn(port, 'port')}`;
    if (seen.has(key)) {
      const { protocol, port: number } = port;
      errors.push(duplicate(specPath.child('ports').at(i), { port: number, protocol }));
    }
    seen.add(key);
  }
}
