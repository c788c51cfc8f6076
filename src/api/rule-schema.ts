import { contextSchema } from './context-schema.ts';
import { matchSchema } from './match-schema.ts';
import { generateSchema, mutateSchema } from './mutate-schema.ts';
import { anything, described, flag, listOf, object, type Schema, text, textMap } from './schema.ts';
import { validateSchema } from './validate-schema.ts';
import { verifyImagesSchema } from './verify-images-schema.ts';

const imageExtractor = object(
  {
    path: described('Where images are: a path with * for elements, such as /spec/steps/*/image.', text),
    value: described('The field below the path that has the image; the end of the path by default.', text),
    name: described('The name of this group of images in `images`.', text),
    key: described('The field below the path that identifies an image.', text),
    jmesPath: described('An expression that turns the value into an image reference.', text),
  },
  ['path'],
);

/** One rule of a policy: its match, and one of validate, mutate, generate and verifyImages. */
export const ruleSchema: Schema = object(
  {
    name: described('The name of the rule, in results and exceptions.', { type: 'string', maxLength: 63 }),
    context: contextSchema,
    match: described('What the rule is for.', matchSchema),
    exclude: described('What it is not for, although it matches.', matchSchema),
    preconditions: described('Conditions under which the rule is applied: `any` and `all`.', anything),
    celPreconditions: described(
      'Conditions in CEL under which a `validate.cel` rule is applied.',
      listOf(
        object(
          {
            name: described('The name of the condition, in messages.', text),
            expression: described('A CEL expression that is true or false.', text),
          },
          ['name', 'expression'],
        ),
      ),
    ),
    validate: described('Checks objects.', validateSchema),
    mutate: described('Changes objects.', mutateSchema),
    generate: described('Creates objects.', generateSchema),
    verifyImages: described('Checks images.', verifyImagesSchema),
    imageExtractors: described('Where custom resources have images, by kind.', {
      type: 'object',
      additionalProperties: listOf(imageExtractor),
    }),
    skipBackgroundRequests: described(
      'Whether requests of background controllers are left out, so that rules do not trigger each other.',
      flag,
    ),
    reportProperties: described('Added to `properties` of the results of this rule in reports.', textMap),
  },
  ['name', 'match'],
);
