import { ImageError, quote } from './errors.ts';

declare const tagBrand: unique symbol;
/** A tag in the form that registries accept. */
export type Tag = string & { readonly [tagBrand]: true };

const form = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;

export function isTag(text: string): text is Tag {
  return form.test(text);
}

export function parseTag(text: string): Tag {
  if (isTag(text)) return text;
  const why =
    text === ''
      ? 'it is empty'
      : text.length > 128
        ? `it has ${text.length} characters, and 128 are allowed`
        : 'a tag has letters, digits, "_", "." and "-", and starts with none of the last two';
  throw new ImageError('image-tag-invalid', `${quote(text)} is no tag: ${why}`);
}
