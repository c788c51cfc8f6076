import { SupercargoError } from '../base/index.ts';

/** Thrown inside this folder only: what has no equivalent, with its path in the policy. */
export class NotConvertible extends SupercargoError {
  constructor(
    readonly path: string,
    readonly reason: string,
  ) {
    super('convert-not-convertible', `${path}: ${reason}`);
  }
}

export function refuse(path: string, reason: string): never {
  throw new NotConvertible(path, reason);
}
