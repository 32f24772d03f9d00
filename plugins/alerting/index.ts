// Alerting and recording rules, evaluated at intervals; alerts are sent to receivers.
import { Type } from 'typebox'
import { count, definePlugin, duration } from '../../core/index.ts'
import { routes } from './routes.ts'
import { createService } from './service.ts'

/** Webhook URLs often contain a secret in their path. */
const urls = (description: string, secret: boolean) =>
  Type.Array(
    Type.String({ pattern: '^https?://[^\\s/]+', expected: 'a URL that starts with http:// or https://', secret }),
    { default: [], description }
  )

export default definePlugin({
  name: 'alerting',
  servers: ['main', 'public'],
  uses: ['promql', 'sql', 'metricsys'],
  rereads: true,
  config: Type.Object({
    rule_files: Type.Array(Type.String({ minLength: 1 }), {
      default: [],
      description:
        'Files with rules, or patterns such as `rules/*.yml`; relative ones count from the folder the server is started in. Read again at every reload of the configuration.',
      live: true
    }),
    db: Type.String({
      default: 'public',
      minLength: 1,
      description: 'Database of groups without `db`.',
      live: true
    }),
    evaluation_interval: duration(60_000, 'Evaluation interval of groups without `interval`.', {
      minimum: 100,
      live: true
    }),
    evaluation_timeout: duration(30_000, 'Time one rule may take; then it fails.', { minimum: 1, live: true }),
    for_outage_tolerance: duration(
      3_600_000,
      'Longest downtime of the server after which pending and firing alerts continue; after a longer one they start anew.',
      { live: true }
    ),
    external_url: Type.String({
      default: '',
      description: 'Address under which people reach this server, for links in notifications.',
      live: true
    }),
    external_labels: Type.Array(Type.String({ pattern: '^[^=]+=.', expected: 'a label such as region=eu' }), {
      default: [],
      description:
        'Labels, each as `NAME=VALUE`, that are added to alerts without a label of that name, so that receivers can tell servers apart.',
      live: true
    }),
    alertmanagers: urls('Alertmanagers to notify by their API v2: `http://127.0.0.1:9093`.', false),
    webhooks: urls(
      "URLs to notify when alerts fire and when they are resolved, in the format of Alertmanager's webhooks.",
      true
    ),
    resend_delay: duration(60_000, 'Time after which Alertmanagers are notified of an alert again.', { live: true }),
    notify_timeout: duration(10_000, 'Time a receiver has to answer.', { minimum: 1, live: true }),
    notify_retry: duration(900_000, 'How long a notification is retried; then it is dropped and counted.', {
      live: true
    }),
    notify_queue: count(10_000, 'Alerts that may wait for one receiver; the oldest are dropped, and counted.', {
      live: true
    }),
    max_groups: count(1_000, 'Groups of rules; more are refused.', { live: true }),
    max_rules: count(10_000, 'Rules of all groups; more are refused.', { live: true }),
    max_series: count(10_000, 'Series one rule may give; one with more fails.', { live: true })
  }),
  setup: (core, config, services) => {
    const service = createService(core, config, services)
    services.metricsys?.serveRules(service)
    return service
  },
  reload: (_, service) => service.reload(),
  routes: app => routes(app, app.services.alerting)
})
