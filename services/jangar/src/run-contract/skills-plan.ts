import {
  flag,
  listOf,
  oneOf,
  optional,
  type ReadBy,
  readJsonDocument,
  record,
  someText,
  text,
  wholeNumber,
} from '../reader/reader.ts'
import { skillName } from './skill.ts'
import { cloneProtocol, vcsService } from './vcs-context.ts'

/** The variable with the plan, as JSON, in the container that fetches skills. */
export const skillsPlanVariable = 'AGENT_SKILLS_PLAN'

/** The plan: which skills to fetch, and from where. Written by the controller; holds no credential. */
const skillsPlan = record({
  skills: listOf(
    record({
      name: skillName,
      url: someText,
      ref: someText,
      /** If omitted, the root of the repository. */
      path: optional(text),
      /** Whether the credential in the environment is for this repository. */
      isSigned: flag,
    }),
  ),
  /** The service that the credential is for. */
  service: optional(record({ provider: vcsService, cloneProtocol: optional(cloneProtocol) })),
  hostKeyPolicy: optional(oneOf(['Strict', 'AcceptNew'])),
  /** For one git command that talks to a remote. If omitted, 120. */
  gitSeconds: optional(wholeNumber(1, 86_400)),
  /** Of the files that git writes, in bytes. If omitted, 128 MiB. */
  largestPack: optional(wholeNumber(512, Number.MAX_SAFE_INTEGER)),
})

export type SkillsPlan = ReadBy<typeof skillsPlan>
export type PlannedSkill = SkillsPlan['skills'][number]

export function parseSkillsPlan(document: string) {
  return readJsonDocument(skillsPlan, document)
}
