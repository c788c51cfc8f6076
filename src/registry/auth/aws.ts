/**
 * A separate module, so that it is loaded on demand: in a bundle, a CommonJS package keeps its names only behind an
 * export.
 */
export { ECRClient, GetAuthorizationTokenCommand } from '@aws-sdk/client-ecr';
