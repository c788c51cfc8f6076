/** A separate module for a dynamic import: in the bundle a CommonJS package keeps its names only behind an export. */
export { ECRClient, paginateDescribeImages, paginateDescribeRepositories } from '@aws-sdk/client-ecr';
export { fromTemporaryCredentials } from '@aws-sdk/credential-providers';
