// Symmetric encryption of texts.
import { type Call, type FunctionSpec, fail } from '../../function.ts'
import { kinds } from '../../kind.ts'
import { fromBytes, lossy, type Text, toBytes } from '../../value.ts'
import { type Cipher, cipherFor } from './algorithm.ts'

const rest = [
  { name: 'algorithm', kind: kinds.string },
  { name: 'key', kind: kinds.string },
  { name: 'iv', kind: kinds.string }
]

export const ciphers: readonly FunctionSpec[] = [
  {
    name: 'encrypt',
    summary: 'The bytes of a text encrypted with a key and an initial vector, both of the length of the algorithm.',
    params: [{ name: 'plaintext', kind: kinds.string }, ...rest],
    returns: kinds.string,
    fallible: true,
    prepare: call => {
      checkAlgorithm(call)
      return (text: Text, algorithm: Text, key: Text, iv: Text) => {
        const cipher = known(lossy(algorithm))
        return fromBytes(cipher.encrypt(toBytes(text), sized('key', key, cipher.key), sized('iv', iv, cipher.iv)))
      }
    },
    examples: [
      {
        title: 'In base 64',
        source: 'encode_base64(encrypt!("weir", "AES-128-CBC-PKCS7", key: "a key of 16 byte", iv: "a vector of 16 b"))',
        result: '"SCpczMnL7US15htMPXWqVA=="'
      },
      {
        title: 'A short key',
        source: 'encrypt!("weir", "AES-256-GCM", key: "short", iv: "12 bytes iv.")',
        raises: 'Invalid key size. Expected 32 bytes. Found 5 bytes'
      }
    ]
  },
  {
    name: 'decrypt',
    summary: 'The text that was encrypted with a key and an initial vector.',
    params: [{ name: 'ciphertext', kind: kinds.string }, ...rest],
    returns: kinds.string,
    fallible: true,
    prepare: call => {
      checkAlgorithm(call)
      return (text: Text, algorithm: Text, key: Text, iv: Text) => {
        const cipher = known(lossy(algorithm))
        const plain = cipher.decrypt(toBytes(text), sized('key', key, cipher.key), sized('iv', iv, cipher.iv))
        if (plain === undefined) throw fail('Invalid input')
        return fromBytes(plain)
      }
    },
    examples: [
      {
        title: 'There and back',
        source:
          'key = "a key that has thirty-two bytes!"\niv = "12 bytes iv."\nsecret = encrypt!("weir", "CHACHA20-POLY1305", key: key, iv: iv)\ndecrypt!(secret, "CHACHA20-POLY1305", key: key, iv: iv)',
        result: '"weir"'
      }
    ]
  }
]

function checkAlgorithm(call: Call): void {
  const name = call.constant('algorithm') as Text | undefined
  if (name !== undefined && cipherFor(lossy(name)) === undefined) throw call.invalid('algorithm', 'Invalid algorithm')
}

function known(name: string): Cipher {
  const cipher = cipherFor(name)
  if (cipher === undefined) throw fail(`Invalid algorithm: ${name.toUpperCase()}`)
  return cipher
}

function sized(name: string, value: Text, size: number): Uint8Array {
  const bytes = toBytes(value)
  if (bytes.length !== size) throw fail(`Invalid ${name} size. Expected ${size} bytes. Found ${bytes.length} bytes`)
  return bytes
}
