/** A module of its own to be loaded when needed: bundled, a CommonJS package keeps its names only behind an export. */
export { ECRClient, paginateDescribeImages, paginateDescribeRepositories } from '@aws-sdk/client-ecr';
export { fromTemporaryCredentials } from '@aws-sdk/credential-providers';
