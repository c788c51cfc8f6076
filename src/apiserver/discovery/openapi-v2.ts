/** Type of the response. kubectl requests it with an `@` before the version, which media type parsers reject. */
export const openApiV2Type = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

const title = 'Supercargo embedded cluster';

/**
 * An OpenAPI v2 document without definitions. kubectl still requests one before it reads a `kind: List`; it leaves the
 * validation of unknown kinds to the server, as it does everywhere else.
 */
export function openApiV2(version: string): { readonly json: object; readonly protobuf: Buffer } {
  const info = Buffer.concat([textField(1, title), textField(2, version)]);
  return {
    json: { swagger: '2.0', info: { title, version }, paths: {} },
    protobuf: Buffer.concat([textField(1, '2.0'), bytesField(2, info)]),
  };
}

const textField = (number: number, text: string) => bytesField(number, Buffer.from(text));

/** A length-delimited field shorter than 128 bytes. */
function bytesField(number: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.of((number << 3) | 2, content.length), content]);
}
