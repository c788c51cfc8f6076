import { UsageError } from '../base/index.ts';

/** A name of an image that cannot be one, or cannot be mapped; the message quotes it and says what would be right. */
export class ImageError extends UsageError {}

/** Quotes what a person wrote, cut where it would flood the line. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 120 ? `${text.slice(0, 117)}...` : text);
}
