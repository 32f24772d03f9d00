// All functions that read values out of texts.
import type { FunctionSpec } from '../../function.ts'
import { kinds } from '../../kind.ts'
import { awsParsers } from './aws.ts'
import { albParser } from './aws-alb.ts'
import { cborParser } from './cbor.ts'
import { cefParser } from './cef.ts'
import { domainParser } from './domain.ts'
import { grokParser } from './grok.ts'
import { groksParser } from './groks.ts'
import { jsonParsers } from './json.ts'
import { keyValueParsers } from './key-value.ts'
import { klogParsers } from './klog.ts'
import { lineProtocolParser } from './line-protocol.ts'
import { quantityParsers } from './quantity.ts'
import { rubyHashParser } from './ruby-hash.ts'
import { syslogParsers } from './syslog.ts'
import { textParsers } from './text.ts'
import { timeParsers } from './time.ts'
import { urlParsers } from './url.ts'
import { userAgentParser } from './user-agent.ts'
import { webLogParsers } from './web-log.ts'
import { xmlParser } from './xml.ts'
import { yamlParser } from './yaml.ts'

const proto: FunctionSpec = {
  name: 'parse_proto',
  summary: 'Not available.',
  params: [],
  returns: kinds.any,
  refused: 'programs of pipelines do not read descriptor files from the disk of the server',
  examples: []
}

export const parsers: readonly FunctionSpec[] = [
  albParser,
  ...awsParsers,
  cborParser,
  cefParser,
  domainParser,
  grokParser,
  groksParser,
  ...jsonParsers,
  ...keyValueParsers,
  ...klogParsers,
  lineProtocolParser,
  proto,
  ...quantityParsers,
  rubyHashParser,
  ...syslogParsers,
  ...textParsers,
  ...timeParsers,
  ...urlParsers,
  userAgentParser,
  ...webLogParsers,
  xmlParser,
  yamlParser
]
