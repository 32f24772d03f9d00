// Labels of this server, for receivers and templates.
import type { Labels } from './evaluate/sample.ts'

/** From `NAME=VALUE` each. */
export function readExternalLabels(texts: readonly string[]): Labels {
  return texts.map(text => {
    const sign = text.indexOf('=')
    return [text.slice(0, sign), text.slice(sign + 1)] as const
  })
}
