import { type Declaration, listSettings } from '@agents/config'
import { stringify } from 'yaml'

/** ci/variables.yaml: the environment variables that each process reads, for the comparison of versions. */
export function variablesFile(processes: Readonly<Record<string, Declaration>>): string {
  const names = Object.entries(processes).map(([process, settings]) => {
    // A retired setting accepts no value.
    const read = listSettings(settings).filter(({ setting }) => setting.expected !== 'no value')
    return [process, [...new Set(read.map(({ setting }) => setting.env))].toSorted()] as const
  })
  const head =
    '# Written by "npm run generate": the environment variables that each process reads.\n'
  return head + stringify(Object.fromEntries(names))
}
