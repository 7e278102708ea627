import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { SopsError } from './sops-error.ts'

/** A leaf of a document as SOPS sees it. Null is not among them: it is never encrypted. */
type LeafType = 'str' | 'int' | 'float' | 'bool' | 'bytes' | 'time' | 'comment'

export interface Leaf {
  readonly type: LeafType
  /** The bytes that are encrypted and counted in the MAC. */
  readonly bytes: Buffer
}

const ivBytes = 32
const tagBytes = 16

const encryptedValue = /^ENC\[AES256_GCM,data:(.*),iv:(.+),tag:(.+),type:(.+)\]$/s

/** `path` is bound to the value: moved elsewhere in the document, it does not decrypt. */
export function encryptLeaf({ type, bytes }: Leaf, key: Buffer, path: string): string {
  // SOPS leaves empty text as it is.
  if (bytes.length === 0) return ''
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: tagBytes })
  cipher.setAAD(Buffer.from(path, 'utf8'))
  const data = Buffer.concat([cipher.update(bytes), cipher.final()])
  const parts = [data, iv, cipher.getAuthTag()].map((part) => part.toString('base64'))
  return `ENC[AES256_GCM,data:${parts[0]},iv:${parts[1]},tag:${parts[2]},type:${type}]`
}

export function decryptLeaf(text: string, key: Buffer, path: string): Leaf {
  if (text === '') return { type: 'str', bytes: Buffer.alloc(0) }
  const [, data = '', iv = '', tag = '', type = ''] = encryptedValue.exec(text) ?? []
  if (!isLeafType(type))
    throw new SopsError(`the value at ${path} is not encrypted`, { code: 'invalid' })
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64'), {
      authTagLength: tagBytes,
    })
    decipher.setAAD(Buffer.from(path, 'utf8'))
    decipher.setAuthTag(Buffer.from(tag, 'base64'))
    const bytes = Buffer.concat([decipher.update(Buffer.from(data, 'base64')), decipher.final()])
    return { type, bytes }
  } catch (cause) {
    throw new SopsError(`the value at ${path} cannot be decrypted`, { code: 'tampered', cause })
  }
}

function isLeafType(type: string): type is LeafType {
  return ['str', 'int', 'float', 'bool', 'bytes', 'time', 'comment'].includes(type)
}
