import { flag, leaf, optional, record } from '../reader/reader.ts'
import { podPaths } from './pod-paths.ts'

/** It becomes the name of a folder. */
export const skillName = leaf(
  'a name of lower-case letters, digits and dashes',
  (value): value is string =>
    typeof value === 'string' && /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(value),
)

export const skill = record({
  name: skillName,
  /** Whether it was fetched from a repository. If omitted, it is a mounted ConfigMap. */
  isFetched: optional(flag),
})

/** The file that every skill has. */
export const skillFile = 'SKILL.md'

/** Where the files of a skill are mounted. */
export function skillMount(name: string): string {
  return `${podPaths.workspace}/.agent-skills/${name}`
}
