// What can be configured in `[plugins.elastic]`.
import { count, flag, Type } from 'weir-server'

export const options = Type.Object({
  version: Type.String({
    default: '8.17.0',
    pattern: '^\\d+\\.\\d+\\.\\d+$',
    description: 'Version senders are told; some refuse to send to an older one than their own.'
  }),
  pipeline: Type.String({
    default: 'svc_identity',
    minLength: 1,
    description: 'Pipeline of documents whose request names none.'
  }),
  table: Type.String({ default: '', description: 'Table of all documents; empty: the one named like their index.' }),
  strip_dates: flag(true, 'Dates at the end of an index, `logs-2026.11.23`, are no part of the name of its table.'),
  time_index: Type.String({
    default: '@timestamp;datestr;%+',
    description:
      'Field of the time, for `svc_identity`: `field;datestr;format` or `field;epoch;unit`. Without it the time of arrival counts.'
  }),
  max_documents: count(100_000, 'Documents of one request; one with more is refused with 413.'),
  max_tables: count(100, 'Tables that the documents of one request may go to; documents for further ones are refused.')
})

/** @typedef {import('weir-server').Static<typeof options>} Options */
