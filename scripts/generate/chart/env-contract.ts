import { stringify } from 'yaml'
import type { EnvRow } from './env-template.ts'

/** files/env-contract.yaml: value, variable and form, for tools that are not written in TypeScript. */
export function envContract(rows: readonly EnvRow[]): string {
  const head =
    '# Written by "npm run generate": which value of the chart sets which variable of the control plane and the controllers.\n'
  return (
    head +
    stringify(
      rows.map(({ value, env, form, when }) => ({ value, env, form, ...(when && { when }) })),
    )
  )
}
