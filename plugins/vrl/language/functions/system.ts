// Functions that would access the server's system: refused, because programs come from tenants.
import type { FunctionSpec } from '../function.ts'
import { kinds } from '../kind.ts'

function refuse(name: string, refused: string): FunctionSpec {
  return { name, summary: 'Not available.', params: [], returns: kinds.any, refused, examples: [] }
}

const network = 'programs of pipelines have no access to the network'

export const system: readonly FunctionSpec[] = [
  refuse('dns_lookup', network),
  refuse('reverse_dns', network),
  refuse('http_request', network),
  refuse('get_env_var', "programs of pipelines do not see the server's environment"),
  refuse('get_hostname', 'programs of pipelines do not see which host they run on'),
  {
    name: 'get_timezone_name',
    summary: 'The name of the time zone programs run in.',
    params: [],
    returns: kinds.string,
    fallible: true,
    prepare:
      ({ context }) =>
      () =>
        context.zone.name,
    examples: [{ title: 'Always this', source: 'get_timezone_name!()', result: '"UTC"' }]
  }
]
