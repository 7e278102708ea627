import type { Caller } from '../../api/access/caller.ts'
import type { JsonSchema } from '../schema.ts'

export const userSchema: JsonSchema = {
  type: 'object',
  required: ['username', 'groups'],
  properties: {
    username: { type: 'string' },
    groups: { type: 'array', items: { type: 'string' } },
  },
}
export const expirySchema: JsonSchema = {
  type: 'object',
  required: ['expiresAt'],
  properties: { expiresAt: { type: 'string', format: 'date-time' } },
}
/** A session that was opened. */
export const openedSchema: JsonSchema = {
  type: 'object',
  required: ['user', 'session', 'proof'],
  properties: { user: userSchema, session: expirySchema, proof: { type: 'string' } },
}
export const endedSchema: JsonSchema = {
  type: 'object',
  required: ['ended'],
  properties: { ended: { type: 'integer' } },
}

export function who({ username, groups, session }: Caller) {
  return {
    user: { username, groups },
    ...(session && { session: { expiresAt: session.expiresAt.toISOString() } }),
  }
}
