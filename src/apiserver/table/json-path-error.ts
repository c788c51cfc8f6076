import { SupercargoError } from '../../base/index.ts';

/** A path that cannot be read, or one that does not fit the object it is used on. */
export class JsonPathError extends SupercargoError {}
