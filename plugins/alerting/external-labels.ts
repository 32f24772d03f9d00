// External labels of this server, for notifications and templates.
import type { Labels } from './evaluate/sample.ts'

/** Parses `NAME=VALUE` texts. */
export function readExternalLabels(texts: readonly string[]): Labels {
  return texts.map(text => {
    const sign = text.indexOf('=')
    return [text.slice(0, sign), text.slice(sign + 1)] as const
  })
}
