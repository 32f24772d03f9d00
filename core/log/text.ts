// Log lines for people: time, level, message, then other members as key=value.

/** Formats a JSON line: `2026-11-21T13:50:04.123Z INFO  started main=http://127.0.0.1:4000`; the stack of an error follows, indented. */
export function textLine(json: string): string {
  const { time, level, msg, ...rest } = JSON.parse(json) as Record<string, unknown>
  const stack = stackOf(rest['err'])
  if (stack !== undefined) delete rest['err']
  const parts = [String(time), String(level).toUpperCase().padEnd(5), ...(msg === undefined ? [] : [String(msg)])]
  for (const [key, value] of Object.entries(rest)) parts.push(`${key}=${word(value)}`)
  return `${harmless(oneLine(parts.join(' ')))}\n${stack === undefined ? '' : `${harmless(indent(stack))}\n`}`
}

function stackOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const { stack, message } = error as { stack?: string; message?: string }
  return stack ?? message
}

function word(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return typeof value === 'string' && /[\s"=]/.test(text) ? JSON.stringify(text) : text
}

/** Removes line breaks, so that a client's text cannot forge a log line. */
function oneLine(text: string): string {
  return text.replace(/[\r\n]+/g, ' ')
}

/** Removes control characters, so that a client's text cannot control the terminal. */
function harmless(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to be shown
  const controls = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g
  return text.replace(controls, sign => `\\x${sign.charCodeAt(0).toString(16).padStart(2, '0')}`)
}

function indent(text: string): string {
  return text
    .split('\n')
    .map(line => `    ${line}`)
    .join('\n')
}
