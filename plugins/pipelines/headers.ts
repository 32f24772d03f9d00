// Headers of requests that affect pipelines.
import type { IncomingHttpHeaders } from 'node:http'
import type { PipelineHeaders } from '../services.ts'

/** Blank headers count as absent. */
export function readHeaders(headers: IncomingHttpHeaders): PipelineHeaders {
  const name = text(headers, 'x-svc-pipeline-name') ?? text(headers, 'x-svc-log-pipeline-name')
  const version = text(headers, 'x-svc-pipeline-version') ?? text(headers, 'x-svc-log-pipeline-version')
  return {
    ...(name !== undefined && { name }),
    ...(version !== undefined && { version }),
    ...readParameters(text(headers, 'x-svc-pipeline-params') ?? '')
  }
}

/** Parses `skip_error=yes&max_nested_levels=3`; unknown keys are ignored, because clients send keys of other servers. */
function readParameters(parameters: string): PipelineHeaders {
  const pairs = new Map(
    parameters.split('&').map(pair => {
      const equals = pair.indexOf('=')
      return equals < 0 ? [pair.trim(), ''] : [pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()]
    })
  )
  const skip = pairs.get('skip_error')
  const levels = Number(pairs.get('max_nested_levels'))
  return {
    ...(skip !== undefined && { skipError: /^(true|1|yes|on|t)$/i.test(skip) }),
    ...(Number.isSafeInteger(levels) && levels > 0 && { maxNestedLevels: levels })
  }
}

function text(headers: IncomingHttpHeaders, name: string): string | undefined {
  return String(headers[name] ?? '').trim() || undefined
}
