import { GitError } from './errors.ts';

export interface GitIdentity {
  readonly name: string;
  readonly email: string;
}

/** A line `key: value` at the end of a commit message, by which the commit can be found. */
export interface GitTrailer {
  readonly key: string;
  readonly value: string;
}

const maxMessageLength = 64 * 1024;

/** The whole message. Trailers are their own paragraph, as git expects. */
export function renderMessage(message: string, trailers: readonly GitTrailer[]): string {
  const text = message.replaceAll('\r\n', '\n').replaceAll('\0', '').trim();
  if (text === '') throw invalid('the commit message is empty');
  const lines = trailers.map(({ key, value }) => {
    if (!/^[A-Za-z0-9][A-Za-z0-9-]*$/.test(key)) throw invalid(`${JSON.stringify(key)} is not a valid trailer key`);
    if (/[\r\n\0]/.test(value) || value.trim() === '')
      throw invalid(`the trailer ${key} is empty or has a line break in it`);
    return `${key}: ${value.trim()}`;
  });
  const whole = lines.length === 0 ? `${text}\n` : `${text}\n\n${lines.join('\n')}\n`;
  if (whole.length > maxMessageLength)
    throw invalid(`the commit message is longer than ${maxMessageLength} characters`);
  return whole;
}

/** Author and time, in git's format. */
export function renderIdentity({ name, email }: GitIdentity, nowMs: number): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a line break or a bracket would end the field.
  const isBad = (text: string) => text.trim() === '' || /[\0-\x1f<>]/.test(text);
  if (isBad(name) || isBad(email))
    throw invalid('the author needs a name and an e-mail address without < > or line breaks');
  return `${name.trim()} <${email.trim()}> ${Math.floor(nowMs / 1000)} +0000`;
}

const invalid = (why: string) => new GitError('git-settings-invalid', why);
