// All functions that read values out of texts.
import type { FunctionSpec } from '../../function.ts'
import { jsonParsers } from './json.ts'
import { keyValueParsers } from './key-value.ts'
import { quantityParsers } from './quantity.ts'
import { syslogParsers } from './syslog.ts'
import { textParsers } from './text.ts'
import { timeParsers } from './time.ts'
import { urlParsers } from './url.ts'
import { webLogParsers } from './web-log.ts'

export const parsers: readonly FunctionSpec[] = [
  ...jsonParsers,
  ...keyValueParsers,
  ...quantityParsers,
  ...syslogParsers,
  ...textParsers,
  ...timeParsers,
  ...urlParsers,
  ...webLogParsers
]
