import { anything, described, freeObject, listOf, object, oneOf, type Schema, text } from './schema.ts';

const selectsPart = 'A JMESPath expression that selects a part of the result.';

const apiCall = object({
  urlPath: described('The path at the API server: /api/v1/namespaces/{{request.namespace}}/pods.', text),
  method: described('GET, or POST with `data`; GET if not written.', oneOf('GET', 'POST')),
  data: described(
    'The body of a POST, by field.',
    listOf(
      object(
        {
          key: described('The name of the field.', text),
          value: described('Its value; expressions in {{ }} are possible.', anything),
        },
        ['key', 'value'],
      ),
    ),
  ),
  service: described(
    'A service outside of the API server, where the installation allows calls to services.',
    object(
      {
        url: described('Its address.', text),
        caBundle: described('PEM certificates of the CA that signed its certificate.', text),
        headers: described(
          'Headers of the request.',
          listOf(object({ key: described('Its name.', text), value: described('Its value.', text) }, ['key', 'value'])),
        ),
      },
      ['url'],
    ),
  ),
  default: described('The value when the call fails or finds nothing.', anything),
  jmesPath: described(selectsPart, text),
});

/** The context of a rule, a loop or a mutation target. */
export const contextSchema: Schema = described(
  'Values that expressions of the rule can use, each looked up when it is first needed.',
  listOf(
    object(
      {
        name: described('The name that expressions use.', text),
        variable: described(
          'A value, or the result of an expression.',
          object({
            value: described('The value; expressions in {{ }} are possible.', anything),
            jmesPath: described('A JMESPath expression, of `value` if there is one, else of the request.', text),
            default: described('The value when the expression finds nothing.', anything),
          }),
        ),
        configMap: described(
          'A ConfigMap; its data are under `data`.',
          object(
            {
              name: described('Its name; expressions in {{ }} are possible.', text),
              namespace: described('Its namespace; a Policy reads its own only.', text),
            },
            ['name'],
          ),
        ),
        apiCall: described('A call of the API server or of a service.', apiCall),
        imageRegistry: described(
          'Manifest and configuration of an image, from its registry.',
          object(
            {
              reference: described('The image; expressions in {{ }} are possible.', text),
              jmesPath: described(selectsPart, text),
              imageRegistryCredentials: described('Credentials for the registry: providers and Secrets.', freeObject),
            },
            ['reference'],
          ),
        ),
        globalReference: described(
          'Data of a GlobalContextEntry. Only test files provide them.',
          object({ name: described('Its name.', text), jmesPath: described(selectsPart, text) }, ['name']),
        ),
      },
      ['name'],
    ),
  ),
);
