import { named } from './cel-schema.ts';
import { described, listOf, object, oneOf, type Schema, text, textMap, texts, time } from './schema.ts';

export const celExceptionSchema: Schema = object(
  {
    spec: described(
      'Which objects are excused from which policies.',
      object(
        {
          policyRefs: described(
            'The policies.',
            listOf(
              object(
                {
                  name: described('The name of a policy.', text),
                  kind: described('Its kind, such as ValidatingPolicy.', text),
                },
                ['name', 'kind'],
              ),
            ),
          ),
          matchConditions: named(
            'Conditions that must all hold for the exception to count.',
            'A CEL expression that is true or false.',
          ),
          images: described(
            'Nothing is excused; expressions find these images in `exceptions.allowedImages` instead.',
            texts,
          ),
          allowedValues: described(
            'Nothing is excused; expressions find these values in `exceptions.allowedValues` instead.',
            texts,
          ),
          reportResult: described('The result that reports show of what is excused.', oneOf('skip', 'pass')),
          expiresAt: described('When the exception ends; never if not written.', time),
          evaluationMode: described('Accepted for compatibility: exceptions count in every mode.', text),
          properties: described('Notes for people, such as who approved it.', textMap),
        },
        ['policyRefs'],
      ),
    ),
  },
  ['spec'],
);
