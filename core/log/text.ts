// Log lines for people: time, level, message, then what else is known as key=value.

/** `2026-11-21T13:50:04.123Z INFO  started main=http://127.0.0.1:4000` of one JSON line; the stack of an error follows, indented. */
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

/** No text of a client may begin a line of its own. */
function oneLine(text: string): string {
  return text.replace(/[\r\n]+/g, ' ')
}

/** Nor may it steer the terminal that shows it. */
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
