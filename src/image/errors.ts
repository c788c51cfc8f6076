import { UsageError } from '../base/index.ts';

/** An image name that is invalid or cannot be mapped; the message quotes it and says what would be valid. */
export class ImageError extends UsageError {}

/** Quotes user input, truncated to keep the line short. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 120 ? `${text.slice(0, 117)}...` : text);
}
