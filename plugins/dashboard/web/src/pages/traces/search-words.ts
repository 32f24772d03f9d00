// The parameters of a search, kept in links from and to a trace.
import { parameters } from '../../router.ts'

export const fields = ['operation', 'tags', 'min', 'max', 'limit'] as const

export function searchWords(): Record<string, string | undefined> {
  return Object.fromEntries(['service', ...fields, 'axis'].map(name => [name, parameters.value.get(name) ?? undefined]))
}
