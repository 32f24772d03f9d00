// The algorithms of `encrypt` and `decrypt`, by name.
import { createCipheriv, createDecipheriv } from 'node:crypto'
import { aessiv } from '@noble/ciphers/aes.js'
import { xchacha20poly1305 } from '@noble/ciphers/chacha.js'
import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js'

type Transform = (text: Uint8Array, key: Uint8Array, iv: Uint8Array) => Uint8Array

export interface Cipher {
  /** Bytes of the key and of the initial vector. */
  readonly key: number
  readonly iv: number
  readonly encrypt: Transform
  /** Undefined if the text is invalid or was modified. */
  readonly decrypt: (text: Uint8Array, key: Uint8Array, iv: Uint8Array) => Uint8Array | undefined
}

const blockSize = 16
const tagSize = 16

/** The name is case-insensitive. */
export function cipherFor(name: string): Cipher | undefined {
  const upper = name.toUpperCase()
  const [, bits, mode] = /^AES-(128|192|256)-(.+)$/.exec(upper) ?? []
  if (bits !== undefined) return aesCipher(Number(bits), mode!)
  if (upper === 'CHACHA20-POLY1305') return sealing('chacha20-poly1305', 32, 12)
  if (upper === 'XCHACHA20-POLY1305') return foreign(32, 24, xchacha20poly1305)
  return upper === 'XSALSA20-POLY1305' ? foreign(32, 24, xsalsa20poly1305) : undefined
}

function aesCipher(bits: number, mode: string): Cipher | undefined {
  const key = bits / 8
  switch (mode) {
    case 'CFB':
    case 'OFB':
      return plain(`aes-${bits}-${mode.toLowerCase()}`, key)
    // Without a suffix the name means this byte order, for compatibility.
    case 'CTR':
    case 'CTR-LE':
      return symmetric(key, (text, secret, iv) =>
        countingCipher(bits, text, secret, littleEndianBlocks(iv, text.length))
      )
    case 'CTR-BE':
      return symmetric(key, (text, secret, iv) => countingCipher(bits, text, secret, bigEndianBlocks(iv, text.length)))
    case 'GCM':
      return sealing(`aes-${bits}-gcm`, key, 12)
    case 'GCM-16':
      return sealing(`aes-${bits}-gcm`, key, 16)
    case 'SIV':
      return bits === 192 ? undefined : foreign(key * 2, 16, (secret, iv) => aessiv(secret, new Uint8Array(), iv))
  }
  const padding = mode.startsWith('CBC-') ? paddings[mode.slice(4)] : undefined
  return padding && chained(`aes-${bits}-cbc`, key, padding)
}

function symmetric(key: number, transform: Transform): Cipher {
  return { key, iv: blockSize, encrypt: transform, decrypt: transform }
}

function plain(algorithm: string, key: number): Cipher {
  return {
    key,
    iv: blockSize,
    encrypt: (text, secret, iv) => createCipheriv(algorithm, secret, iv).update(text),
    decrypt: (text, secret, iv) => createDecipheriv(algorithm, secret, iv).update(text)
  }
}

/** Authenticated encryption: the text, followed by a tag. */
function sealing(algorithm: string, key: number, iv: number): Cipher {
  const name = algorithm as 'aes-128-gcm'
  const options = { authTagLength: tagSize }
  return {
    key,
    iv,
    encrypt(text, secret, vector) {
      const cipher = createCipheriv(name, secret, vector, options)
      return Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()])
    },
    decrypt(text, secret, vector) {
      if (text.length < tagSize) return undefined
      const cipher = createDecipheriv(name, secret, vector, options)
      cipher.setAuthTag(text.subarray(-tagSize))
      return attempt(() => Buffer.concat([cipher.update(text.subarray(0, -tagSize)), cipher.final()]))
    }
  }
}

interface Sealer {
  encrypt(text: Uint8Array): Uint8Array
  decrypt(text: Uint8Array): Uint8Array
}

function foreign(key: number, iv: number, make: (key: Uint8Array, iv: Uint8Array) => Sealer): Cipher {
  return {
    key,
    iv,
    encrypt: (text, secret, vector) => make(secret, vector).encrypt(text),
    decrypt: (text, secret, vector) =>
      text.length < tagSize ? undefined : attempt(() => make(secret, vector).decrypt(text))
  }
}

/** Undefined if decryption fails, for example with the wrong key. */
function attempt(decrypt: () => Uint8Array): Uint8Array | undefined {
  try {
    return decrypt()
  } catch {
    return undefined
  }
}

interface Padding {
  /** Fills the padding of the last block; `padding` has at least one byte. */
  readonly fill: (padding: Uint8Array) => void
  /** Number of padding bytes at the end of the last block; 0 if the padding is invalid. */
  readonly measure: (block: Uint8Array) => number
}

const lastByte = (block: Uint8Array) => (block[blockSize - 1]! <= blockSize ? block[blockSize - 1]! : 0)

const paddings: Readonly<Record<string, Padding | undefined>> = {
  PKCS7: {
    fill: padding => padding.fill(padding.length),
    measure: block => {
      const size = lastByte(block)
      return block.subarray(blockSize - size).every(byte => byte === size) ? size : 0
    }
  },
  ANSIX923: {
    fill: padding => {
      padding.fill(0)
      padding[padding.length - 1] = padding.length
    },
    measure: block => {
      const size = lastByte(block)
      return size > 0 && block.subarray(blockSize - size, -1).every(byte => byte === 0) ? size : 0
    }
  },
  ISO7816: {
    fill: padding => {
      padding.fill(0)
      padding[0] = 0x80
    },
    measure: block => {
      const start = block.findLastIndex(byte => byte !== 0)
      return block[start] === 0x80 ? blockSize - start : 0
    }
  },
  // ISO 10126 leaves all bytes but the last open; zeros keep results reproducible.
  ISO10126: {
    fill: padding => padding.fill(padding.length),
    measure: lastByte
  }
}

function chained(algorithm: string, key: number, { fill, measure }: Padding): Cipher {
  return {
    key,
    iv: blockSize,
    encrypt(text, secret, iv) {
      const padded = Buffer.alloc((Math.floor(text.length / blockSize) + 1) * blockSize)
      padded.set(text)
      fill(padded.subarray(text.length))
      return createCipheriv(algorithm, secret, iv).setAutoPadding(false).update(padded)
    },
    decrypt(text, secret, iv) {
      if (text.length === 0 || text.length % blockSize !== 0) return undefined
      const padded = createDecipheriv(algorithm, secret, iv).setAutoPadding(false).update(text)
      const size = measure(padded.subarray(-blockSize))
      return size === 0 ? undefined : padded.subarray(0, padded.length - size)
    }
  }
}

/** Node counts in 128 bits, these algorithms in 64. */
function countingCipher(bits: number, text: Uint8Array, key: Uint8Array, blocks: Buffer): Uint8Array {
  const stream = createCipheriv(`aes-${bits}-ecb`, key, null).setAutoPadding(false).update(blocks)
  return text.map((byte, i) => byte ^ stream[i]!)
}

function bigEndianBlocks(iv: Uint8Array, length: number): Buffer {
  return counterBlocks(iv, length, (block, count) =>
    block.writeBigUInt64BE(BigInt.asUintN(64, block.readBigUInt64BE(8) + count), 8)
  )
}

function littleEndianBlocks(iv: Uint8Array, length: number): Buffer {
  return counterBlocks(iv, length, (block, count) =>
    block.writeBigUInt64LE(BigInt.asUintN(64, block.readBigUInt64LE() + count))
  )
}

function counterBlocks(iv: Uint8Array, length: number, add: (block: Buffer, count: bigint) => void): Buffer {
  const blocks = Buffer.alloc(Math.ceil(length / blockSize) * blockSize)
  for (let at = 0; at < blocks.length; at += blockSize) {
    const block = blocks.subarray(at, at + blockSize)
    block.set(iv)
    add(block, BigInt(at / blockSize))
  }
  return blocks
}
