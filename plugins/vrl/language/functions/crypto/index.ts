// The family of cryptography.
import type { FunctionSpec } from '../../function.ts'
import { ciphers } from './cipher.ts'
import { hashes } from './hash.ts'

export const cryptography: readonly FunctionSpec[] = [...ciphers, ...hashes]
