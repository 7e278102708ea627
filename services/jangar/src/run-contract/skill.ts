import { leaf, record } from '../reader/reader.ts'
import { podPaths } from './pod-paths.ts'

/** It becomes the name of a folder. */
const skillName = leaf(
  'a name of lower-case letters, digits and dashes',
  (value): value is string =>
    typeof value === 'string' && /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(value),
)

export const skill = record({ name: skillName })

/** The file that every skill has. */
export const skillFile = 'SKILL.md'

/** Where the files of a skill are mounted. */
export function skillMount(name: string): string {
  return `${podPaths.workspace}/.agent-skills/${name}`
}
