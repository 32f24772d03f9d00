// The family of functions on IP addresses.
import type { FunctionSpec } from '../../function.ts'
import { addressConversions } from './convert.ts'
import { addressCiphers } from './encrypt.ts'
import { ranges } from './range.ts'

export const addresses: readonly FunctionSpec[] = [...addressConversions, ...addressCiphers, ...ranges]
