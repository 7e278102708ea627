import { createHash } from 'node:crypto'

export type ObjectType = 'blob' | 'tree' | 'commit'

export interface GitObject {
  readonly oid: string
  readonly type: ObjectType
  readonly data: Buffer
}

export const gitObject = (type: ObjectType, data: Buffer): GitObject => ({
  oid: objectId(type, data),
  type,
  data,
})

/** The name that Git gives to these bytes; equal names mean equal contents. */
export const objectId = (type: ObjectType, data: Uint8Array): string =>
  createHash('sha1').update(`${type} ${data.length}\0`).update(data).digest('hex')

export const EMPTY_TREE = objectId('tree', Buffer.alloc(0))
