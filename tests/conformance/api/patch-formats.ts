import type { SendOptions } from './client.ts'

export const json = { type: 'application/json-patch+json' } satisfies SendOptions
export const merge = { type: 'application/merge-patch+json' } satisfies SendOptions
export const strategic = { type: 'application/strategic-merge-patch+json' } satisfies SendOptions
export const applied = { type: 'application/apply-patch+yaml' } satisfies SendOptions
