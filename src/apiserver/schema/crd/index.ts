/** CustomResourceDefinitions: whether one is acceptable, in the real server's words. */
export { checkCrd } from './check.ts';
