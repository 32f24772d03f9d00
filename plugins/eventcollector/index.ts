// Receives events and raw text in the event collector protocol, with tokens and numbered answers.
import { Type } from 'typebox'
import { count, definePlugin, flag, size } from '../../core/index.ts'
import { createAcks } from './acks.ts'
import { readCredentials } from './credentials.ts'
import { formatError } from './errors.ts'
import { createReceive } from './receive.ts'
import { type CollectorService, routes } from './routes.ts'

export default definePlugin({
  name: 'eventcollector',
  servers: ['main', 'public'],
  uses: ['pipelines'],
  config: Type.Object({
    acknowledge: flag(
      false,
      'Answers have an acknowledgement number that can be queried at …/ack; requests must name a channel.'
    ),
    max_channels: count(
      10_000,
      'Channels whose numbers are remembered; the one not used for longest is forgotten first.'
    ),
    query_token: flag(
      false,
      'Accepts the query parameter token=user:password instead of a header. Beware: proxies log URLs.'
    ),
    raw_lines: flag(
      true,
      'Each line of raw text is an event; `false`: the whole body is one. Parameters `lines` and `linebreaker` of a request win.',
      { live: true }
    ),
    max_event_size: size(2 ** 20, 'Bytes of one event in JSON; a request with a larger one is refused with 413.', {
      minimum: 1
    }),
    max_request_tables: count(1_000, 'Tables that the events of one request go to; more are refused with 400.')
  }),
  setup(core, config): CollectorService {
    const { acknowledge, max_channels } = config
    return { receive: createReceive(core), acks: acknowledge ? createAcks(max_channels) : undefined }
  },
  routes: (app, config) => routes(app, app.services.eventcollector, config),
  credentials: readCredentials,
  formatError
})
