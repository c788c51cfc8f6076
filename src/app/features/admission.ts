import {
  checkRegistration,
  createAdmissionMetrics,
  createAuditQueue,
  createBudgetConditions,
  createCheckReviewer,
  createGlobalContextStatus,
  createPolicyRegistrations,
  createPolicyReviewers,
  createStatusController,
  defaultResourceFilters,
  hasEvents,
  isOverBudget,
  parseResourceFilters,
  recordEvents,
} from '../../admission/index.ts';
import { startOrder } from '../../controller/index.ts';
import type { WireFeature } from './feature.ts';

/** Admission reviews evaluated by policies. */
export const wireAdmission: WireFeature = (environment) => {
  const { config, connection, informers, policies, webhooks, events, clock, admissionResults } = environment;
  const { client, discovery } = connection;
  const log = environment.log.child({ feature: 'admission' });
  const filters = parseResourceFilters(config.admission.resourceFilters ?? defaultResourceFilters);
  const later = createAuditQueue(log);
  const metrics = createAdmissionMetrics(environment.metrics, later);
  let omitted = new Set<string>(config.admission.omitEvents);
  environment.onReload(({ admission }) => {
    omitted = new Set(admission.omitEvents);
  });
  const budgets = createBudgetConditions(policies, environment.policyProblems.from('admission'));
  const reviewers = createPolicyReviewers({
    policies,
    lookUps: environment.lookUps,
    namespaces: environment.namespaces,
    roles: environment.roles,
    turns: environment.turns,
    clock,
    discovery,
    filters,
    auditQueue: later,
    log,
    count: metrics.count,
    shouldReport: (results) =>
      admissionResults.hasListeners || hasEvents(omitted, results) || results.some(isOverBudget),
    onResults(results) {
      budgets.observe(results);
      recordEvents(events, omitted, results);
      admissionResults.publish(results);
    },
  });
  const servedKinds = (signal: AbortSignal) => discovery.list({ signal });
  const registrations = createPolicyRegistrations({ policies, discovery, informers, filters });
  webhooks.add({ reviewer: reviewers.mutate, registration: registrations.mutate });
  webhooks.add({ reviewer: reviewers.validate, registration: registrations.validate });
  webhooks.add({
    reviewer: createCheckReviewer({
      policies,
      exceptionNamespaces: config.policies.exceptionNamespaces,
      servedKinds,
    }),
    registration: checkRegistration(),
  });
  const status = createStatusController({
    client,
    informers,
    policies,
    registrations,
    webhooks: environment.policyWebhooks,
    problems: environment.policyProblems,
    servedKinds,
    metrics: environment.controllerMetrics,
    clock,
    log,
  });
  const { globalContext } = environment.lookUps;
  const entries =
    globalContext &&
    createGlobalContextStatus({
      client,
      informers,
      globalContext,
      metrics: environment.controllerMetrics,
      clock,
      log,
    });
  return {
    runnables: [
      {
        name: 'policy-status',
        order: startOrder.controllers,
        needsLeadership: 'admission',
        run: (signal) => status.run(signal),
      },
      ...(entries
        ? [
            {
              name: entries.name,
              order: startOrder.controllers,
              needsLeadership: 'admission' as const,
              run: (signal: AbortSignal) => entries.run(signal),
            },
          ]
        : []),
    ],
  };
};
