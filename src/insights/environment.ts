import { UsageError } from '../base/index.ts';
import { parseDurationMs } from '../object/index.ts';

export type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Reads settings from environment variables. For a variable that is missing or wrong it records the mistake and returns
 * a placeholder, so that `finish` can name every mistake in one message. Use no value before `finish`.
 */
export interface SettingsReader {
  required(name: string): string;
  optional(name: string): string | undefined;
  boolean(name: string, fallback: boolean): boolean;
  /** Go's notation: `15m`, `1h30m`. */
  durationMs(name: string, fallback: string, limits?: { readonly minMs?: number; readonly maxMs?: number }): number;
  integer(name: string, fallback: number, limits: { readonly min: number; readonly max: number }): number;
  choice<T extends string>(name: string, fallback: T, choices: readonly T[]): T;
  /** Records a mistake that only the caller can detect. */
  mistake(name: string, what: string): void;
  /** Throws one UsageError that names every mistake so far. */
  finish(): void;
}

// The longest delay of a Node timer.
const longestMs = 24 * 24 * 60 * 60 * 1000;

export function createSettingsReader(env: Variables): SettingsReader {
  const mistakes: string[] = [];
  // Templates set an empty variable where they have no value.
  const optional = (name: string) => {
    const text = env[name]?.trim();
    return text === '' ? undefined : text;
  };
  const mistake = (name: string, what: string) => void mistakes.push(`${name} ${what}`);
  const shown = (text: string) => JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);

  return {
    optional,
    mistake,
    required(name) {
      const text = optional(name);
      if (text === undefined) mistake(name, 'is not set');
      return text ?? '';
    },
    boolean(name, fallback) {
      const text = optional(name)?.toLowerCase();
      if (text === undefined) return fallback;
      if (text === 'true' || text === '1') return true;
      if (text === 'false' || text === '0') return false;
      mistake(name, `must be true or false, not ${shown(text)}`);
      return fallback;
    },
    durationMs(name, fallback, { minMs = 1000, maxMs = longestMs } = {}) {
      const text = optional(name) ?? fallback;
      try {
        const ms = parseDurationMs(text);
        if (ms >= minMs && ms <= maxMs) return ms;
      } catch {
        mistake(name, `must be a duration such as ${fallback}, not ${shown(text)}`);
        return minMs;
      }
      mistake(name, `must be from ${minMs / 1000}s to ${Math.floor(maxMs / 1000)}s, not ${shown(text)}`);
      return minMs;
    },
    integer(name, fallback, { min, max }) {
      const text = optional(name);
      if (text === undefined) return fallback;
      const value = Number(text);
      if (/^\d+$/.test(text) && value >= min && value <= max) return value;
      mistake(name, `must be a whole number from ${min} to ${max}, not ${shown(text)}`);
      return fallback;
    },
    choice(name, fallback, choices) {
      const text = optional(name)?.toLowerCase();
      if (text === undefined) return fallback;
      const chosen = choices.find((choice) => choice === text);
      if (chosen === undefined) mistake(name, `must be one of ${choices.join(', ')}, not ${shown(text)}`);
      return chosen ?? fallback;
    },
    finish() {
      if (mistakes.length === 0) return;
      throw new UsageError('settings-invalid', `wrong environment: ${mistakes.join('; ')}`);
    },
  };
}
