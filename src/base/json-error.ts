import { SupercargoError } from './errors.ts';

export class JsonError extends SupercargoError {}
