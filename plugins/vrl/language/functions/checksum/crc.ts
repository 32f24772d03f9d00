// Cyclic redundancy checks of any width, a byte at a time.
import { crcParameters } from './crc-table.ts'

interface Parameters {
  readonly width: number
  /** Bytes enter with their lowest bit first, and the register holds its bits in reverse. */
  readonly reflected: boolean
  /** Whether the result's bits are in the opposite order of the register's. */
  readonly turned: boolean
  readonly polynomial: bigint
  readonly initial: bigint
  readonly final: bigint
}

/** The checksum of some bytes. `step` is called regularly, so that the run's time limit is checked. */
export type Crc = (bytes: Uint8Array, step: () => void) => bigint

/** Undefined for a name that is not in the catalogue. */
export function makeCrc(name: string): Crc | undefined {
  if (!Object.hasOwn(crcParameters, name)) return undefined
  const parameters = parse(crcParameters[name]!)
  return parameters.width <= 32 ? narrow(parameters) : wide(parameters)
}

function parse(text: string): Parameters {
  const [width = '', order, ...numbers] = text.split(' ')
  const [polynomial, initial, final] = numbers.map(digits => BigInt(`0x${digits}`))
  return {
    width: Number(width),
    reflected: order === 'r',
    turned: order === 'o',
    polynomial: polynomial!,
    initial: initial!,
    final: final!
  }
}

function reflect(value: bigint, width: number): bigint {
  let result = 0n
  for (let i = 0n; i < width; i++) result |= ((value >> i) & 1n) << (BigInt(width) - 1n - i)
  return result
}

function finish({ width, turned, final }: Parameters, register: bigint): bigint {
  return (turned ? reflect(register, width) : register) ^ final
}

/** Bytes between two calls of `step`. */
const stride = 4096

/** For up to 32 bits; registers that are not reflected use the upper bits. */
function narrow(parameters: Parameters): Crc {
  const { width, reflected, polynomial, initial } = parameters
  const shift = 32 - width
  const align = (value: bigint) => Number(reflected ? reflect(value, width) : value << BigInt(shift)) | 0
  const divisor = align(polynomial)
  const table = Int32Array.from({ length: 256 }, (_, byte) => {
    let value = reflected ? byte : byte << 24
    for (let bit = 0; bit < 8; bit++) {
      if (reflected) value = (value >>> 1) ^ (value & 1 ? divisor : 0)
      else value = (value << 1) ^ (value < 0 ? divisor : 0)
    }
    return value
  })
  return (bytes, step) => {
    let register = align(initial)
    for (let i = 0; i < bytes.length; i++) {
      if (i % stride === 0) step()
      if (reflected) register = (register >>> 8) ^ table[(register ^ bytes[i]!) & 255]!
      else register = (register << 8) ^ table[(register >>> 24) ^ bytes[i]!]!
    }
    return finish(parameters, BigInt(reflected ? register >>> 0 : register >>> shift))
  }
}

function wide(parameters: Parameters): Crc {
  const { width, reflected, polynomial, initial } = parameters
  const divisor = reflected ? reflect(polynomial, width) : polynomial
  const top = BigInt(width - 8)
  const table = Array.from({ length: 256 }, (_, byte) => {
    let value = reflected ? BigInt(byte) : BigInt(byte) << top
    for (let bit = 0; bit < 8; bit++) {
      if (reflected) value = (value >> 1n) ^ (value & 1n ? divisor : 0n)
      else value = BigInt.asUintN(width, value << 1n) ^ (value >> BigInt(width - 1) ? divisor : 0n)
    }
    return value
  })
  return (bytes, step) => {
    let register = reflected ? reflect(initial, width) : initial
    for (let i = 0; i < bytes.length; i++) {
      if (i % 256 === 0) step()
      if (reflected) register = (register >> 8n) ^ table[Number(register & 255n) ^ bytes[i]!]!
      else register = BigInt.asUintN(width, register << 8n) ^ table[Number(register >> top) ^ bytes[i]!]!
    }
    return finish(parameters, register)
  }
}
