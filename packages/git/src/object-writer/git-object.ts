import { createHash } from 'node:crypto'
import type { Tree } from './tree.ts'

export type ObjectType = 'blob' | 'tree' | 'commit'

export interface GitObject {
  readonly oid: string
  readonly type: ObjectType
  readonly data: Buffer
}

/** An object that is to be written, with what is known of it. */
export interface NewObject extends GitObject {
  readonly tree?: Tree
  readonly delta?: Delta
}

/** How an object is made of another one. */
interface Delta {
  readonly base: GitObject
  readonly instructions: Buffer
}

export function gitObject(type: ObjectType, data: Buffer): GitObject {
  return {
    oid: objectId(type, data),
    type,
    data,
  }
}

/** The name that Git gives to these bytes; equal names mean equal contents. */
export function objectId(type: ObjectType, data: Uint8Array): string {
  return createHash('sha1').update(`${type} ${data.length}\0`).update(data).digest('hex')
}

export const emptyTree = objectId('tree', Buffer.alloc(0))
