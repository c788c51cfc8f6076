import type { FunctionDecl } from '../environment.ts';
import { bytesType, stringType } from '../types.ts';
import { CelBytes, CelError } from '../values/values.ts';
import { declare, form } from './declare.ts';

const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** With or without padding; white space is not allowed. */
function decode(text: string): CelBytes | CelError {
  const bare = text.replace(/=+$/, '');
  if (!base64.test(text) || bare.length % 4 === 1) return new CelError('illegal base64 data at input byte 0');
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
