import { imageResourcePolicies, imagesDetected, resourceTemplates } from '../../api/index.ts';
import {
  type InstallExpression,
  type InstallScope,
  type InstallTemplate,
  installation,
  namespace,
  text,
} from '../chart/scope.ts';

const writes = (features: readonly string[]) => features.includes('detect') || features.includes('create');

/** The parts that write detections, and the users that may write them too, as a list in CEL. */
const writers: InstallExpression<string> = {
  helm: '(include "supercargo.detectionWriters" $)',
  read: (scope) => celList([...ownWriters(scope), ...scope.values.detection.users]),
};
const ownWriters = (scope: InstallScope) =>
  scope.parts
    .filter(({ features }) => writes(features))
    .map(({ name }) => `system:serviceaccount:${scope.namespace}:${scope.installation}-${name}`);

export const writesDetections: InstallExpression<boolean> = {
  helm: '(include "supercargo.writesDetections" $)',
  read: ({ parts }) => parts.some(({ features }) => writes(features)),
};

/** Installations of one name in several namespaces have one each. */
export const detectionAdmissionName = (place: { readonly installation: string; readonly namespace: string }) =>
  `${place.installation}.${place.namespace}.detections`;

/**
 * A ValidatingAdmissionPolicy that admits ImageDetected objects, and the status that confirms them, from our own
 * identities only. The API server evaluates it itself, so it holds while we are down. Servers before 1.30 do not serve
 * the kind: there the policy's status, protected by RBAC, confirms a detection.
 */
export function detectionAdmission(labels: InstallTemplate): readonly InstallTemplate[] {
  const name = text`${installation}.${namespace}.detections`;
  const { group, version } = imagesDetected;
  const apiVersion = 'admissionregistration.k8s.io/v1';
  return [
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name, labels },
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: {
          resourceRules: [
            {
              apiGroups: [group],
              apiVersions: [version],
              operations: ['CREATE', 'UPDATE'],
              resources: [
                imagesDetected.resource,
                `${imagesDetected.resource}/status`,
                `${imageResourcePolicies.resource}/status`,
                `${resourceTemplates.resource}/status`,
              ],
            },
          ],
        },
        validations: [
          {
            // Finalizers and owner references are metadata: garbage collection must work.
            expression: text`request.userInfo.username in ${writers} || (request.operation == 'UPDATE' && has(oldObject.spec) && has(object.spec) && object.spec == oldObject.spec && !has(request.subResource))`,
            message: text`only the detection and creation parts of ${installation} in namespace ${namespace} write this: what an ImageDetected names is committed to Git`,
            reason: 'Forbidden',
          },
        ],
      },
    },
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name, labels },
      spec: { policyName: name, validationActions: ['Deny'] },
    },
  ];
}

const celList = (texts: readonly string[]) =>
  `[${texts.map((text) => `'${text.replaceAll(/[\\']/g, (one) => `\\${one}`)}'`).join(', ')}]`;
