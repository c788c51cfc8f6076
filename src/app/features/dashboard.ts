import { fileURLToPath } from 'node:url';
import { startOrder } from '../../controller/index.ts';
import { type DashboardSetup, runDashboard } from '../dashboard.ts';
import { runDashboardThread } from './dashboard-thread.ts';
import type { WireFeature } from './feature.ts';

/** The page of images, on every replica. */
export const wireDashboard: WireFeature = (environment) => {
  const { config, connection, namespace, dashboard, clock } = environment;
  const log = environment.log.child({ feature: 'dashboard' });
  const { worker, page, linkToken, version = '' } = dashboard ?? {};
  const setup: DashboardSetup = {
    config,
    namespace,
    version,
    cluster: connection.client.config.name,
    ...(linkToken === undefined ? {} : { linkToken }),
    ...(page === undefined ? {} : { pageFolder: fileURLToPath(page) }),
  };
  const onListening = (port: number) => {
    log.info('the dashboard is served', { address: `${config.dashboard.host}:${port}` });
    dashboard?.onListening?.(port);
  };
  return {
    runnables: [
      {
        name: 'dashboard',
        order: startOrder.servers,
        run: (signal) =>
          worker === undefined
            ? runDashboard({ ...setup, connection, onListening, log }, signal)
            : runDashboardThread(
                { program: worker, setup, origin: connection.origin, onListening, clock, log },
                signal,
              ),
      },
    ],
  };
};
