import { imageResourcePolicies, imagesDetected, resourceTemplates } from '../../api/index.ts';
import type { KubeObject } from '../../object/index.ts';

interface DetectionAdmissionOptions {
  readonly installation: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  /** As the API server names them: `system:serviceaccount:supercargo:supercargo`. */
  readonly users: readonly string[];
}

/** Installations of one name in several namespaces have one each. */
export const detectionAdmissionName = ({
  installation,
  namespace,
}: Pick<DetectionAdmissionOptions, 'installation' | 'namespace'>) => `${installation}.${namespace}.detections`;

/**
 * A ValidatingAdmissionPolicy that admits ImageDetected objects, and the status that confirms them, from our own
 * identities only. The API server evaluates it itself, so it holds while we are down. Servers before 1.30 do not serve
 * the kind: there the policy's status, protected by RBAC, confirms a detection.
 */
export function detectionAdmission(options: DetectionAdmissionOptions): readonly KubeObject[] {
  const { installation, namespace, labels, users } = options;
  const name = detectionAdmissionName(options);
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
            expression: `request.userInfo.username in ${celList(users)} || (request.operation == 'UPDATE' && has(oldObject.spec) && has(object.spec) && object.spec == oldObject.spec && request.subResource == '')`,
            message: `only the detection and creation parts of ${installation} in namespace ${namespace} write this: what an ImageDetected names is committed to Git`,
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
