// Query strings and urlencoded forms as records, without refusing what other servers let pass.

/** Repeated keys hold all their values in order. */
export type Parameters = Record<string, string | string[]>

/** Reads `a=1&b=two+words&a=2`. `+` is a space; a malformed `%` sequence stays as it is. */
export function parseParameters(text: string): Parameters {
  const parameters: Parameters = Object.create(null)
  if (text === '') return parameters
  for (const pair of text.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const key = decode(equals < 0 ? pair : pair.slice(0, equals))
    const value = equals < 0 ? '' : decode(pair.slice(equals + 1))
    const known = parameters[key]
    if (known === undefined) parameters[key] = value
    else if (typeof known === 'string') parameters[key] = [known, value]
    else known.push(value)
  }
  return parameters
}

/** The fields of a form, where `acceptForms` has read one. */
export function formOf({ body }: { readonly body: unknown }): Parameters | undefined {
  return typeof body === 'object' && body !== null && !Buffer.isBuffer(body) ? (body as Parameters) : undefined
}

/** The value of a parameter of a request: the URL's, else the form's. */
export function parameterOf(
  request: { readonly query: unknown; readonly body: unknown },
  key: string
): string | undefined {
  const form = formOf(request)
  return firstValue(request.query as Parameters, key) ?? (form && firstValue(form, key))
}

/** The value of a parameter, the first where it is repeated; undefined where it is absent. */
export function firstValue(parameters: Parameters, key: string): string | undefined {
  const value = parameters[key]
  return Array.isArray(value) ? value[0] : value
}

function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!spaced.includes('%')) return spaced
  return decodePart(spaced) ?? spaced.replace(/(?:%[0-9a-f]{2})+/gi, run => decodePart(run) ?? run)
}

function decodePart(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
