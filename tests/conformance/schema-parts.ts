import type { Fields } from './client.ts'

export const text: Fields = { type: 'string' }

export const object = (properties: Fields, rest: Fields = {}): Fields => ({
  type: 'object',
  properties,
  ...rest,
})

/** A schema whose spec has these properties. */
export const spec = (properties: Fields, rest: Fields = {}): Fields =>
  object({ spec: object(properties, rest) })
