import { renderGroupResource } from '../../object/index.ts';
import type { ResourceDefinition } from '../resources/definition.ts';
import { type StatusError, statusError } from '../status.ts';

type Named = Pick<ResourceDefinition, 'group' | 'resource'>;

const details = ({ group, resource }: Named, name: string) => ({
  name,
  ...(group === '' ? {} : { group }),
  kind: resource,
});

export function notFound(definition: Named, name: string): StatusError {
  return statusError(404, `${renderGroupResource(definition)} "${name}" not found`, details(definition, name));
}

export function alreadyExists(definition: Named, name: string): StatusError {
  return statusError(
    409,
    `${renderGroupResource(definition)} "${name}" already exists`,
    details(definition, name),
    'AlreadyExists',
  );
}

export function conflict(definition: Named, name: string, why: string): StatusError {
  const message = `Operation cannot be fulfilled on ${renderGroupResource(definition)} "${name}": ${why}`;
  return statusError(409, message, details(definition, name));
}

export const modified = 'the object has been modified; please apply your changes to the latest version and try again';

export function forbidden(
  definition: Named,
  name: string,
  why: string,
  cause?: { reason: string; message: string; field: string },
): StatusError {
  return statusError(403, `${renderGroupResource(definition)} "${name}" is forbidden: ${why}`, {
    ...details(definition, name),
    ...(cause ? { causes: [cause] } : {}),
  });
}
