import { fixture, type TemplateCase } from '../../src/gotemplate/cases/case.ts';
import { deploymentTemplate, everythingTemplate, seedData } from '../../src/gotemplate/cases/seed.ts';

const loop =
  '{{range $i, $item := .items}}{{if $item.on}}{{$i}}: {{$item.name}} {{printf "%05d" $item.port}}\n{{else}}{{$item.name | upper}}\n{{end}}{{end}}';

interface Titled extends TemplateCase {
  readonly title: string;
}

export function loopOver(count: number): Titled {
  const items = Array.from({ length: count }, (_, i) => ({ name: `item-${i}`, port: 8000 + i, on: i % 3 === 0 }));
  return { title: `loop over ${count.toLocaleString('en')} items`, template: loop, data: { items } };
}

export const templateCases: readonly Titled[] = [
  { title: 'a deployment', template: deploymentTemplate, data: seedData },
  { title: 'functions, define, include, toYaml', template: everythingTemplate, data: seedData },
  loopOver(200),
  { title: 'printing of nested data', template: '{{.}} {{printf "%v %+v" .users .map}} {{.mixed}}', data: fixture },
];
