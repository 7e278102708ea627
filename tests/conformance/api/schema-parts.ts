import type { Fields } from './client.ts'

export const text: Fields = { type: 'string' }

export function object(properties: Fields, rest: Fields = {}): Fields {
  return {
    type: 'object',
    properties,
    ...rest,
  }
}

/** A schema whose spec has these properties. */
export function spec(properties: Fields, rest: Fields = {}): Fields {
  return object({ spec: object(properties, rest) })
}
