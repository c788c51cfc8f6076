/** CEL expressions as policies have them, about a pod. */
const containers =
  '(object.spec.containers + object.spec.?initContainers.orValue([]) + object.spec.?ephemeralContainers.orValue([]))';

export const celExpressions = [
  '!has(object.spec.hostNetwork) || !object.spec.hostNetwork',
  '!object.spec.?hostPID.orValue(false) && !object.spec.?hostIPC.orValue(false)',
  `${containers}.all(c, !c.?securityContext.?privileged.orValue(false))`,
  `${containers}.all(c, c.?securityContext.?capabilities.?add.orValue([]).all(x, x in ['CHOWN', 'KILL', 'SETGID', 'SETUID', 'NET_BIND_SERVICE']))`,
  `${containers}.all(c, c.?ports.orValue([]).all(p, p.?hostPort.orValue(0) == 0))`,
  'object.spec.?volumes.orValue([]).all(v, !has(v.hostPath))',
  `${containers}.all(c, !c.image.endsWith(':latest') && c.image.contains(':'))`,
  `${containers}.all(c, c.image.matches('^[a-z0-9.:/_-]+(@sha256:[0-9a-f]{64})?$'))`,
  'has(object.metadata.labels) && object.metadata.labels.all(k, size(k) <= 63)',
  'object.spec.containers.map(c, c.name).isSorted() || size(object.spec.containers) > 0',
  "object.spec.containers.all(c, has(c.resources) && has(c.resources.limits) && quantity(c.resources.limits.memory).isLessThan(quantity('8Gi')))",
  "object.spec.containers.exists(c, c.name == 'none') ? false : object.metadata.name.startsWith('service-')",
];
