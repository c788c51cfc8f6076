import {
  anything,
  conditions,
  described,
  duration,
  exactlyOne,
  listOf,
  nonEmpty,
  object,
  oneOf,
  type Schema,
  text,
  time,
  validated,
  withDefault,
} from './schema.ts';

const pairs = (what: string, value: Schema): Schema =>
  described(
    what,
    listOf(object({ key: described('Its name.', text), value: described('Its value.', value) }, ['key', 'value'])),
  );

const spec = validated(
  object({
    kubernetesResource: described(
      'The objects of a kind, kept by a watch, as a list.',
      object(
        {
          group: described('The API group; not written for the core group.', text),
          version: described('The API version.', nonEmpty),
          resource: described('The plural of the kind.', nonEmpty),
          namespace: described('Only objects of this namespace.', text),
        },
        ['version', 'resource'],
      ),
    ),
    apiCall: described(
      'The answer to a call that is made at intervals.',
      object({
        urlPath: described('A path of the API server.', text),
        method: described('How it is called.', withDefault('GET', oneOf('GET', 'POST'))),
        data: pairs('The fields of the body of a POST.', anything),
        service: described(
          'A service in place of the API server.',
          object(
            {
              url: described('Its address.', text),
              caBundle: described('The certificates of its authority, in PEM.', text),
              headers: pairs('Headers of the request.', text),
            },
            ['url'],
          ),
        ),
        refreshInterval: described('How often it is called; at most every 5 s.', withDefault('10m', duration)),
        retryLimit: described('How often a call that fails is tried.', {
          type: 'integer',
          default: 3,
          minimum: 1,
        }),
      }),
    ),
    projections: described(
      'Values made of the data, each time it has changed.',
      listOf(
        object(
          {
            name: described('What policies call it.', nonEmpty),
            jmesPath: described('A JMESPath expression.', nonEmpty),
          },
          ['name', 'jmesPath'],
        ),
      ),
    ),
  }),
  exactlyOne('kubernetesResource', 'apiCall'),
);

export const globalContextSchema: Schema = object(
  {
    spec: described('What is kept, and what is made of it.', spec),
    status: described(
      'Whether policies can read it.',
      object({
        lastRefreshTime: described('When the data was last fetched, or its watch began.', time),
        conditions: described('Ready, and why not.', conditions),
      }),
    ),
  },
  ['spec'],
);
