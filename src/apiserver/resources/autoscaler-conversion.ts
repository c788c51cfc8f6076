import type { KubeObject } from '../../object/index.ts';
import type { Conversion } from './definition.ts';

interface Metric {
  readonly type: string;
  readonly resource?: { readonly name: string; readonly target: { readonly averageUtilization?: number } };
}

type Spec = Readonly<Record<string, unknown>> & {
  readonly metrics?: readonly Metric[];
  readonly targetCPUUtilizationPercentage?: number;
};

const isCpu = ({ type, resource }: Metric) => type === 'Resource' && resource?.name === 'cpu';

/** autoscaling/v1 knows CPU alone; v2, the stored form, any metric. What v1 cannot show is not shown there. */
export const autoscalerConversion: Conversion = {
  toStored(object) {
    const { targetCPUUtilizationPercentage: percent, ...spec } = specOf(object);
    const target = { type: 'Utilization', averageUtilization: percent };
    const metrics = percent === undefined ? {} : { metrics: [{ type: 'Resource', resource: { name: 'cpu', target } }] };
    return { ...object, apiVersion: 'autoscaling/v2', spec: { ...spec, ...metrics } };
  },
  fromStored(object) {
    const { metrics, behavior: _, ...spec } = specOf(object);
    const percent = metrics?.find(isCpu)?.resource?.target.averageUtilization;
    const cpu = percent === undefined ? {} : { targetCPUUtilizationPercentage: percent };
    return { ...object, apiVersion: 'autoscaling/v1', spec: { ...spec, ...cpu } };
  },
};

const specOf = (object: KubeObject) => (object['spec'] ?? {}) as Spec;
