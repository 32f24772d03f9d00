// The user that claims are about, and what they may do. Throws an Error where the claims do not say.
const modes = new Set(['rw', 'ro', 'wo'])

export function userOf(claims, { user_claim, rights_claim }) {
  const name = claims[user_claim]
  const rights = claims[rights_claim]
  if (typeof name !== 'string' || name === '') throw new Error(`claim ${user_claim} names no user`)
  if (modes.has(rights)) return { name, mode: rights }
  if (typeof rights !== 'object' || rights === null) throw new Error(`claim ${rights_claim} gives no rights`)
  const databases = new Map(Object.entries(rights))
  if (databases.size === 0 || ![...databases.values()].every(mode => modes.has(mode)))
    throw new Error(`claim ${rights_claim} must give rw, ro or wo to each database`)
  const given = new Set(databases.values())
  return { name, mode: given.size === 1 ? [...given][0] : 'rw', databases }
}
