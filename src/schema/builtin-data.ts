import recorded from './generated/builtin.json' with { type: 'json' };
import { type BuiltinData, linkSchemas } from './link.ts';

/** The kinds and schemas of the pinned Kubernetes version, recorded from a real server by `npm run generate`. */
export const builtinData = recorded as unknown as BuiltinData;

/** What an object of a built-in kind may look like; undefined for kinds that no server has by itself. */
export const builtinSchemaOf = linkSchemas(builtinData).schemaOf;
