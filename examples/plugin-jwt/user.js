// The user that claims are about, and what they may do. Throws an Error where the claims do not say.

/** @import { User } from 'weir-server' */
/** @import { Claims } from './token.js' */

/**
 * Names of the claims with the user and the rights.
 * @typedef {{ readonly user_claim: string, readonly rights_claim: string }} ClaimNames
 */

/**
 * @param {Claims} claims
 * @param {ClaimNames} names
 * @returns {User}
 */
export function userOf(claims, { user_claim, rights_claim }) {
  const name = claims[user_claim]
  const rights = claims[rights_claim]
  if (typeof name !== 'string' || name === '') throw new Error(`claim ${user_claim} names no user`)
  if (isMode(rights)) return { name, mode: rights }
  if (typeof rights !== 'object' || rights === null) throw new Error(`claim ${rights_claim} gives no rights`)
  /** @type {Map<string, User['mode']>} */
  const databases = new Map()
  for (const [database, mode] of Object.entries(rights)) {
    if (!isMode(mode)) throw new Error(`claim ${rights_claim} must give rw, ro or wo to each database`)
    databases.set(database, mode)
  }
  const [first, ...others] = new Set(databases.values())
  if (first === undefined) throw new Error(`claim ${rights_claim} must give rw, ro or wo to each database`)
  return { name, mode: others.length === 0 ? first : 'rw', databases }
}

/**
 * @param {unknown} value
 * @returns {value is User['mode']}
 */
function isMode(value) {
  return value === 'rw' || value === 'ro' || value === 'wo'
}
