import { describe, expect, it } from 'vitest';
import { configOf } from './config.ts';
import { configJsonSchema, describeSettings, type SettingSchema, valueAt } from './config-settings.ts';

describe('the configuration schema', () => {
  it('describes every setting, and shows a default or an example of it', () => {
    const missing: string[] = [];
    const walk = (schema: SettingSchema, path: string) => {
      for (const [key, inner] of Object.entries(schema.properties ?? {})) {
        const at = `${path}${key}`;
        if (!inner.description?.endsWith('.')) missing.push(`${at}: description`);
        if (!inner.properties && inner.default === undefined && !inner.examples) missing.push(`${at}: example`);
        walk(inner, `${at}.`);
        if (inner.items) walk(inner.items, `${at}[].`);
      }
    };
    walk(configJsonSchema(), '');
    expect(missing).toEqual([]);
  });

  it('accepts all examples together', () => {
    const withExample = describeSettings().filter(({ schema }) => schema.examples);
    expect(withExample.length).toBeGreaterThan(20);
    const settings: Record<string, unknown> = {};
    for (const { path, schema } of withExample) {
      let at = settings;
      for (const key of path.slice(0, -1)) at = (at[key] ??= {}) as typeof at;
      at[path.at(-1)!] = schema.examples![0];
    }
    const config = configOf(settings);
    for (const { path, schema } of withExample)
      expect({ value: valueAt(config, path) }, path.join('.')).toMatchObject({ value: schema.examples![0] });
  });
});
