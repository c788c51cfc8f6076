import { contextSchema } from './context-schema.ts';
import { anything, described, flag, labelSelector, listOf, object, oneOf, type Schema, text, texts } from './schema.ts';
import { nestedLoops } from './validate-schema.ts';

const target = {
  apiVersion: described('Its API version.', text),
  kind: described('Its kind.', text),
  namespace: described('Its namespace; a Policy acts in its own only.', text),
  name: described('Its name.', text),
  uid: described('Its UID.', text),
};

const patches = {
  patchStrategicMerge: described('A strategic merge patch, with anchors as conditions.', anything),
  patchesJson6902: described('A JSON patch (RFC 6902) as YAML or JSON text.', text),
};

/** A `mutate` rule. */
export const mutateSchema: Schema = object({
  mutateExistingOnPolicyUpdate: described('Whether existing targets are changed when the policy changes.', flag),
  targets: described(
    'Existing objects to change instead of the object of the request.',
    listOf(
      object({
        ...target,
        selector: described('Labels of the targets.', labelSelector),
        context: contextSchema,
        preconditions: described('Conditions under which a target is changed.', anything),
      }),
    ),
  ),
  ...patches,
  foreach: described(
    'A patch for each element of a list.',
    listOf(
      object({
        list: described('A JMESPath expression for the list.', text),
        order: described(
          'In which order elements are patched; Descending keeps indices right while removing.',
          oneOf('Ascending', 'Descending'),
        ),
        context: contextSchema,
        preconditions: described('Conditions under which an element is patched.', anything),
        ...patches,
        foreach: nestedLoops,
      }),
    ),
  ),
});

const generated = {
  ...target,
  data: described('The content of the generated object.', anything),
  clone: described(
    'An object to copy.',
    object({ namespace: described('Its namespace.', text), name: described('Its name.', text) }),
  ),
  cloneList: described(
    'Several objects to copy.',
    object({
      namespace: described('Their namespace.', text),
      kinds: described('Their kinds, as version/kind or group/version/kind.', texts),
      selector: described('Their labels.', labelSelector),
    }),
  ),
};

/** A `generate` rule. */
export const generateSchema: Schema = object({
  ...generated,
  generateExisting: described(
    'Whether objects that exist already are triggers when the policy is added or changed.',
    flag,
  ),
  synchronize: described(
    'Whether the generated object follows changes of its trigger, source and rule, and is restored when changed.',
    flag,
  ),
  orphanDownstreamOnPolicyDelete: described('Whether generated objects stay when the policy is deleted.', flag),
  foreach: described(
    'One generated object for each element of a list.',
    listOf(
      object({
        ...generated,
        list: described('A JMESPath expression for the list.', text),
        context: contextSchema,
        preconditions: described('Conditions under which an element counts.', anything),
      }),
    ),
  ),
});
