/** A module of its own to be loaded when needed: bundled, a CommonJS package keeps its names only behind an export. */
export { ECRClient, GetAuthorizationTokenCommand } from '@aws-sdk/client-ecr';
