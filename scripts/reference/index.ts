/** The generated pages of docs/reference, beside the metrics: file name and text. `npm run generate:reference` writes them. */
import { cliReference } from './cli.ts';
import { configurationReference, configurationSchema } from './configuration.ts';
import { customResourcesReference } from './custom-resources.ts';
import { errorsReference } from './errors.ts';
import { eventsReference } from './events.ts';

export function referencePages(): readonly { readonly file: string; readonly text: string }[] {
  return [
    { file: 'cli.md', text: cliReference() },
    { file: 'configuration.md', text: configurationReference() },
    { file: 'configuration.schema.json', text: configurationSchema() },
    { file: 'custom-resources.md', text: customResourcesReference() },
    { file: 'errors.md', text: errorsReference() },
    { file: 'events.md', text: eventsReference() },
  ];
}
