import { clusterOptions } from '../cluster/cluster-options.ts'

export const decisionOptions = {
  comment: { type: 'string', value: 'TEXT', help: 'Why, for others to read.' },
  yes: { type: 'boolean', short: 'y', help: 'Do not ask for confirmation.' },
  ...clusterOptions,
} as const
