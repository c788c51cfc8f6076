import type { FunctionDecl } from '../environment.ts';
import { bytesType, stringType } from '../types.ts';
import { CelBytes, CelError } from '../values/values.ts';
import { declare, form } from './declare.ts';

const padded = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** With padding or without; ends of lines do not count. What is neither is refused as a text without padding. */
function decode(text: string): CelBytes | CelError {
  const bare = text.replaceAll(/[\r\n]/g, '');
  if (!padded.test(bare)) {
    const illegal = text.search(/[^A-Za-z0-9+/\r\n]/);
    const at = illegal < 0 && bare.length % 4 === 1 ? text.length - 1 : illegal;
    if (at >= 0) return new CelError(`illegal base64 data at input byte ${at}`);
  }
  return new CelBytes(new Uint8Array(Buffer.from(bare, 'base64')));
}

export const encoderFunctions: readonly FunctionDecl[] = [
  declare('base64.decode', form('base64_decode_string', [stringType], bytesType, decode)),
  declare(
    'base64.encode',
    form('base64_encode_bytes', [bytesType], stringType, ({ bytes }: CelBytes) =>
      Buffer.from(bytes).toString('base64'),
    ),
  ),
];
